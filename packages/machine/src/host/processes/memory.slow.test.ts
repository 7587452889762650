import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBoundedGroups } from '../platform/processes/linux-process-groups.js';
import { openTestShell, type TestShell } from './fixtures/shell.js';

let shell: TestShell;
afterEach(async () => {
  await shell.processes.end({ kind: 'shutdown' });
  expect(shell.left()).toEqual([]);
});

const megabytes = (count: number) => `perl -e '$x = "x" x (${count} << 20); print "filled\\n"; sleep 100'`;
const stopped = (used: string) =>
  new RegExp(
    `^stopped, with everything it had started, at the memory limit of 200 MB \\(setting sandbox\\.memory\\): it ${used}\\. ` +
      'The same command would hit the same limit: let it do less at once, or ask the user to raise the setting$',
  );

const makesMounts = spawnSync('unshare', ['-Urm', 'true']).status === 0;
if (!makesMounts)
  console.log('no file system can be mounted here: files in memory are tried without names only');

const ways: [string, { withoutGroups: boolean; asScripts: boolean }, string][] = [
  ['watched', { withoutGroups: true, asScripts: false }, '(needed more|used \\d+(\\.\\d)? MB)'],
  ...(findBoundedGroups()?.boundsMemory
    ? ([
        [
          'bounded by a control group',
          { withoutGroups: false, asScripts: false },
          '(needed more|used \\d+(\\.\\d)? MB)',
        ],
        [
          'bounded by one that bash joins',
          { withoutGroups: false, asScripts: true },
          '(needed more|used \\d+(\\.\\d)? MB)',
        ],
      ] as [string, { withoutGroups: boolean; asScripts: boolean }, string][])
    : []),
];
if (ways.length === 1) console.log('no control group can bound memory here: only the watch is tried');

describe.each(ways)('memory that is %s', (_way, options, used) => {
  beforeEach(() => {
    shell = openTestShell({ ...options, memory: '200m' });
  });

  it('ends a program that takes too much, and says what and why', async () => {
    const { stopped: reason } = await shell.run(`${megabytes(400)} & wait; echo went on; sleep 100`, {});
    expect(reason).toEqual({ kind: 'limit', message: expect.stringMatching(stopped(used)) });
  });

  it('ends a tree of which each process takes little', async () => {
    const { stopped: reason } = await shell.run(`for i in 1 2 3 4 5 6; do ${megabytes(60)} & done; wait`, {});
    expect(reason).toEqual({ kind: 'limit', message: expect.stringMatching(stopped(used)) });
  });

  it('leaves alone what stays below', async () => {
    const ended = await shell.run(
      `perl -e '$x = "x" x (40 << 20); select undef, undef, undef, 0.7; print "done"'`,
    );
    expect(ended).toMatchObject({ stopped: null, exitCode: 0, stdout: { head: 'done' } });
  });

  it('counts once what a parent shares with its children', async () => {
    const command = `perl -e '$x = "x" x (80 << 20); for (1..6) { unless (fork) { select undef, undef, undef, 0.7; exit } } 1 while wait > 0; print "done"'`;
    const ended = await shell.run(command);
    expect(ended).toMatchObject({ stopped: null, exitCode: 0, stdout: { head: 'done' } });
  });

  it.skipIf(!makesMounts)('counts files in memory that no process has mapped', async () => {
    const fill = 'mount -t tmpfs none /mnt && head -c 400000000 /dev/zero > /mnt/x; sleep 100';
    const { stopped: reason } = await shell.run(`unshare -Urm sh -c '${fill}'`, {});
    expect(reason).toEqual({ kind: 'limit', message: expect.stringMatching(stopped(used)) });
  });

  it.skipIf(process.arch !== 'x64')('counts files in memory that have no name', async () => {
    const fill = `perl -e 'my $n = "x"; my $d = syscall(319, $n, 0); open my $f, "+<&=$d"; syswrite $f, "x" x (1 << 20) for 1..400; sleep 100'`;
    const { stopped: reason } = await shell.run(fill, {});
    expect(reason).toEqual({ kind: 'limit', message: expect.stringMatching(stopped(used)) });
  });

  it('holds for a job too', async () => {
    const running = await shell.start(megabytes(400), { follow: 'tree' });
    expect((await running.ended).stopped).toMatchObject({ kind: 'limit' });
  });
});

it('programs that reserve address space without using it are not held up', async () => {
  shell = openTestShell({ memory: '400m' });
  const ended = await shell.run(`node -e 'new ArrayBuffer(4 * 2 ** 30); console.log("done")'`);
  expect(ended).toMatchObject({ stopped: null, exitCode: 0, stdout: { head: 'done\n' } });
});

it('the memory limit that holds on this machine is printed', async () => {
  shell = openTestShell({ memory: '200m', withoutGroups: true });
  expect((await shell.processes.limits()).memory).toMatchObject({
    bound: 'watched',
    most: 200 * 1024 * 1024,
    sentence: expect.stringContaining(
      'A command may use 200 MB of memory with all it starts (sandbox.memory is "200m").',
    ),
  });
  shell = openTestShell({ memory: 'none' });
  expect((await shell.processes.limits()).memory).toMatchObject({ bound: 'none', most: null });
});
