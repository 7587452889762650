import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
