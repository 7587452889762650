import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { TempWorkspace } from '../../testing/temp-workspace.js';
import type { Expected } from './files.js';
import { bothWays, failure, temporaryWorkspaces } from './fixtures/both-ways.js';

const mounted: string[] = [];

function mount(target: string, ...options: string[]): boolean {
  try {
    execFileSync('mount', [...options, target], { stdio: 'pipe' });
    mounted.push(target);
    return true;
  } catch {
    console.log('not tested: nothing can be mounted here');
    return false;
  }
}

function unmountAll(): void {
  for (const target of mounted.splice(0)) execFileSync('umount', [target]);
}

async function present({ files }: TempWorkspace, path: string): Promise<Expected> {
  return { kind: 'file', hash: (await files.read(path)).hash };
}

describe.each(bothWays)('writing where it is difficult, by $way', (way) => {
  const create = temporaryWorkspaces(way, (clean) =>
    afterEach(() => {
      unmountAll();
      return clean();
    }),
  );

  test('a full disk leaves the old file and nothing else', async () => {
    const temporary = create();
    mkdirSync(temporary.path('small'));
    if (!mount(temporary.path('small'), '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs')) return;
    temporary.write('small/f', 'old');
    temporary.write('small/shared', 'old');
    linkSync(temporary.path('small/shared'), temporary.path('small/other'));
    const tooMuch = Buffer.alloc(1_000_000, 'x');
    for (const path of ['small/f', 'small/shared']) {
      const write = temporary.files.write(path, tooMuch, { expect: await present(temporary, path) });
      expect(await failure(write, temporary)).toEqual({
        code: 'failed',
        message: `Can't change ${path}: the disk is full.`,
      });
    }
    const created = temporary.files.write('small/new', tooMuch, { expect: { kind: 'absent' } });
    expect((await failure(created, temporary)).code).toBe('failed');
    expect(temporary.tree()).toEqual({ 'small/f': 'old', 'small/other': 'old', 'small/shared': 'old' });
  });

  test('a file that is a mount point is written in place', async () => {
    const temporary = create({ content: { 'source.txt': 'old', 'd/target.txt': 'below' } });
    if (!mount(temporary.path('d/target.txt'), '--bind', temporary.path('source.txt'))) return;
    await temporary.files.write('d/target.txt', Buffer.from('new'), {
      expect: await present(temporary, 'd/target.txt'),
    });
    expect(readdirSync(temporary.path('d'))).toEqual(['target.txt']);
    expect(temporary.read('d/target.txt')).toBe('new');
    unmountAll();
    expect(temporary.tree()).toEqual({ 'source.txt': 'new', 'd/target.txt': 'below' });
  });

  test('a change on a read-only file system is denied', async () => {
    const temporary = create();
    mkdirSync(temporary.path('fixed'));
    if (!mount(temporary.path('fixed'), '-t', 'tmpfs', '-o', 'ro', 'tmpfs')) return;
    const write = temporary.files.write('fixed/f', Buffer.from('x'), { expect: { kind: 'absent' } });
    expect(await failure(write, temporary)).toEqual({
      code: 'denied',
      message: "Can't change fixed/f: it is on a read-only file system.",
    });
  });
});
