import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  isConfined,
  modelText,
  openTempShell,
  type TempShell,
  type TempShellOptions,
} from './fixtures/temp-shell.js';

const filling = 'for n in $(seq 1 200); do head -c 1000000 /dev/zero >> /tmp/x; sleep 0.02; done';
const words = 'stopped because the disk that holds its /tmp was nearly full';
const canTry = process.getuid?.() === 0 && (await isConfined());

/** Makes the state folder, and with it the session's /tmp, a disk of 40 MB. */
async function onSmallDisk(
  options: TempShellOptions,
  act: (shell: TempShell, disk: string) => Promise<void>,
) {
  const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m,mode=700', 'tmpfs', disk]);
  try {
    await using shell = await openTempShell({ ...options, stateFolder: disk });
    await act(shell, disk);
  } finally {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

describe.runIf(canTry)('a disk that a command fills through its /tmp (tried as root)', () => {
  it('stops a job', async () => {
    await onSmallDisk({ approvalMode: 'yolo' }, async (shell) => {
      await shell.run(filling, { is_background: true });
      const list = async (): Promise<string> => modelText(await shell.call('jobs', { action: 'list' }));
      await expect.poll(list).toContain(`: ${words}: make room`);
    });
  });

  it('stops a command that may change nothing', async () => {
    await onSmallDisk({ approvalMode: 'plan' }, async (shell) => {
      const settled = await shell.run(filling);
      expect(settled.error?.code).toBe('too_large');
      expect(modelText(settled)).toContain(words);
    });
  });

  it('stops nothing when it was full before', async () => {
    await onSmallDisk({ approvalMode: 'plan' }, async (shell, disk) => {
      await shell.run('true');
      writeFileSync(join(disk, 'filler'), Buffer.alloc(40 * 1024 * 1024 - 1_000_000));
      expect(modelText(await shell.run('sleep 0.5; df /tmp | tail -n 1 | wc -l'))).toBe('1\n[exit code 0]');
    });
  });
});

it.runIf(canTry)(
  'what a command printed is not lost when its changes do not fit (tried as root)',
  async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', shell.directory]);
    try {
      const settled = await shell.run('echo it went well; head -c 20000000 /dev/zero > big');
      expect(settled.error?.code).toBe('failed');
      expect(settled.error?.message).toMatch(
        /disk is full.*\nNone of what the command changed was kept\. It printed:\nit went well\n/,
      );
      expect(readdirSync(shell.directory)).toEqual([]);
    } finally {
      execFileSync('umount', [shell.directory]);
    }
  },
);
