import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reclaimableBytes } from '../platform/processes/linux-group-memory.js';
import { freeMemory, ownMemory, withDescendants } from './own-memory.js';

const MB = 1024 ** 2;

test('the memory of this process counts what it has started, and only that', async () => {
  const before = await ownMemory();
  if (before === null) return console.log('evidence: this system does not tell the memory of processes');
  const child = spawn(process.execPath, [
    '-e',
    `const held = Buffer.alloc(${200 * MB}, 1); console.log(held.length); setInterval(() => held, 1000);`,
  ]);
  try {
    await once(child.stdout, 'data');
    expect((await ownMemory())! - before).toBeGreaterThan(150 * MB);
  } finally {
    child.kill('SIGKILL');
  }
  await once(child, 'close');
  expect((await ownMemory())! - before).toBeLessThan(150 * MB);
});

test('descendants of a process are found over any number of generations, those that ended are not', () => {
  const row = (pid: number, parent: number, isGone = false) => ({
    pid,
    parent,
    isGone,
    group: 0,
    session: 0,
    start: '',
  });
  const rows = [row(1, 0), row(2, 1), row(3, 2), row(4, 9), row(5, 3), row(6, 2, true)];
  expect(withDescendants(2, rows)).toEqual([2, 3, 5]);
});

test('free memory is no more than the machine has', async () => {
  const free = await freeMemory();
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThanOrEqual(totalmem());
});

test('pages of files that the control group could give up count as free', () => {
  const base = mkdtempSync(join(tmpdir(), 'toolwright-group-'));
  try {
    const [proc, group] = [join(base, 'proc'), join(base, 'mount/mine')];
    for (const folder of [proc, group]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(proc, 'mountinfo'), `30 20 0:1 / ${base}/mount rw - cgroup2 cgroup rw\n`);
    writeFileSync(join(proc, 'cgroup'), '0::/mine\n');
    expect(reclaimableBytes(proc)).toBe(0);
    writeFileSync(join(group, 'memory.stat'), 'anon 5\nactive_file 7\ninactive_file 4096\n');
    expect(reclaimableBytes(proc)).toBe(4096);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
