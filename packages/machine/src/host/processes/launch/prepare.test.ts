import { type StdioOptions, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Launch } from '../processes.js';
import { prepareLaunch, type Wrapping } from './prepare.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "a'folder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function launchOf(script: string, more: Partial<Launch> = {}): Launch {
  return {
    program: 'bash',
    args: ['-c', script],
    directory: folder,
    environment: { PATH: '/usr/bin:/bin' },
    endsInScript: true,
    ...more,
  };
}

function start(launch: Launch, joinPath = join(folder, 'group')): { file: string; output: string } {
  const wrapping: Wrapping = {
    joinPaths: [joinPath],
    markDigits: '123456789',
    userLimit: null,
    deathSignal: null,
    handsOver: true,
  };
  const { file, args } = prepareLaunch(launch, wrapping);
  const { stdout, stderr } = spawnSync(file, args, {
    cwd: folder,
    env: launch.environment,
    // Bash takes a socket for a login from afar, and reads the user's start-up file.
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  return { file, output: stdout + stderr };
}

it('a script joins its group and carries its mark by itself, before its own first line', () => {
  const { file, output } = start(launchOf('echo $?; cat group; ulimit -S -x'));
  expect(file).toMatch(/bash$/);
  expect(output).toBe('0\n0\n123456789\n');
});

it('a group that can not be joined does not keep a script from running, nor does it print anything', () => {
  const { output } = start(launchOf('echo ran'), '/proc/none/group');
  expect(output).toBe('ran\n');
});

it('what bash would run before the first line runs inside the group too', () => {
  writeFileSync(join(folder, 'start-up'), 'cat group >seen 2>&1');
  const { file } = start(
    launchOf('true', { environment: { PATH: '/usr/bin:/bin', BASH_ENV: join(folder, 'start-up') } }),
  );
  expect(file).toBe('/bin/sh');
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('0\n');
});

it('a program that a shell starts needs no second shell to join its group', () => {
  const args = [
    '-c',
    'exec 9<"$1" && shift && exec "$@"',
    'sh',
    '/etc/hostname',
    'bash',
    '-c',
    'cat group <&9',
  ];
  const { file, output } = start(
    launchOf('', { program: '/bin/sh', args, endsInScript: false, beginsInShell: true }),
  );
  expect(file).toBe('/bin/sh');
  expect(output).toBe('0\n');
  const marked = start(
    launchOf('', {
      program: '/bin/sh',
      args: ['-c', 'echo "$0 $*"; { ulimit -S -x || ulimit -S -w; } 2>/dev/null', 'name', 'one', 'two words'],
      endsInScript: false,
      beginsInShell: true,
    }),
  );
  expect(marked.output).toMatch(/^name one two words\n.*123456789\n$/s);
});

it('a confined script joins by open files that it is handed, reads what its sandbox reads, and keeps none of them', () => {
  const [group, filter] = [join(folder, 'group'), join(folder, 'filter')];
  writeFileSync(group, '');
  writeFileSync(filter, 'filter');
  // A stand-in for a sandbox: it reads its own file and then becomes the command.
  const sandbox = ['-c', 'cat <&3; exec 3<&-; exec "$@"', 'sandbox', 'bash', '-c'];
  const script = 'echo; cat group; ulimit -S -x; ls -l /proc/$$/fd';
  const confined = launchOf('', {
    program: '/bin/sh',
    args: ['-c', 'echo with a shell'],
    endsInScript: false,
    beginsInShell: true,
    withoutShell: { program: '/bin/sh', args: [...sandbox, script], reads: [filter] },
  });
  const wrapping: Wrapping = {
    joinPaths: [group],
    markDigits: '123456789',
    userLimit: null,
    deathSignal: null,
    handsOver: true,
  };
  const { file, args, opened = [] } = prepareLaunch(confined, wrapping);
  const descriptors = opened.map(({ path, flags }) => openSync(path, flags));
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...descriptors];
  const { stdout, stderr } = spawnSync(file, args, { cwd: folder, stdio, encoding: 'utf8' });
  for (const descriptor of descriptors) closeSync(descriptor);
  expect(stdout + stderr).toMatch(/^filter\n0\n123456789\n/);
  expect(stdout).toMatch(/ 1 -> /);
  expect(stdout).not.toMatch(/ -> .*(group|filter)/);
  for (const other of [{ handsOver: false }, { userLimit: 100 }, { deathSignal: '/usr/bin/setpriv' }])
    expect(prepareLaunch(confined, { ...wrapping, ...other }).opened).toBeUndefined();
  const environment = { BASH_ENV: '/start-up' };
  expect(prepareLaunch({ ...confined, environment }, wrapping).opened).toBeUndefined();
});
