import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { findBoundedGroups } from '../../platform/processes/linux-process-groups.js';
import { openStateFolder } from '../../state/state-folder.js';
import { commandsWith, isAlive, openTestShell, until } from '../fixtures/shell.js';

let folder: string;
let program: string;
let mark: string;
let state: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'death-'));
  chmodSync(folder, 0o755);
  program = join(folder, 'session-program.mjs');
  symlinkSync(
    fileURLToPath(new URL('../../../../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  );
  await build({
    entryPoints: [fileURLToPath(new URL('../fixtures/session-program.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@lydell/node-pty'],
    outfile: program,
    logLevel: 'error',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  mark = randomUUID();
  state = join(folder, mark);
  mkdirSync(state, { mode: 0o777 });
  chmodSync(state, 0o777);
});
afterEach(() => {
  child?.kill('SIGKILL');
  expect(left()).toEqual([]);
});

const left = (): string[] => commandsWith(`TEST_SHELL=${mark}`);

/** Starts the program and waits until all it starts is there. Gives its output so far. */
async function startProgram(what: string, prefix: string[] = []): Promise<() => string> {
  const [file = process.execPath, ...args] = [
    ...prefix,
    process.execPath,
    program,
    join(state, 'home'),
    mark,
    what,
  ];
  child = spawn(file, args, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  await until(() => output.includes('started\n') || child?.exitCode !== null);
  return () => output;
}

function recordedOwner(): string {
  const [name = ''] = readdirSync(join(state, 'home', 'jobs'));
  const record: { mark: { text: string } } = JSON.parse(
    readFileSync(join(state, 'home', 'jobs', name), 'utf8'),
  );
  return record.mark.text;
}

function groupsOf(owner: string): string[] {
  const paths = findBoundedGroups()?.pathsOf(owner) ?? [];
  return paths.flatMap((path) =>
    readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path))),
  );
}

function watchdogsOf(parent: number): number[] {
  const found = readdirSync('/proc').filter((pid) => {
    try {
      const isDog = readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('toolwright-watchdog');
      return isDog && Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]) === parent;
    } catch {
      return false;
    }
  });
  return found.map(Number);
}

it('Toolwright leaves nothing behind when it is killed', async () => {
  await startProgram('wait');
  const before = left().length;
  expect(before).toBeGreaterThanOrEqual(7);
  const owner = recordedOwner();
  child?.kill('SIGKILL');
  await until(() => left().length === 0);
  await until(() => groupsOf(owner).length === 0);
  console.log(`evidence: kill -9 of ourselves: ${before} processes before, ${left().length} after`);
});

it('Toolwright has the next start end what is left when the watchdog was killed as well', async () => {
  await startProgram('wait');
  for (const dog of watchdogsOf(child?.pid ?? 0)) process.kill(dog, 'SIGKILL');
  child?.kill('SIGKILL');
  await until(() => child?.signalCode !== null);
  const before = left().length;
  expect(before).toBeGreaterThan(0);
  // A folder as left by a process that was killed while it made pipes.
  const halfMade = mkdtempSync(
    join(tmpdir(), `toolwright-${child?.pid}-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))}-`),
  );
  const shell = openTestShell({ state: openStateFolder(join(state, 'home')) });
  const { signal } = new AbortController();
  const ended = await shell.processes.reap(signal);
  expect(ended).toBe(before);
  expect(await shell.processes.reap(signal)).toBe(0);
  expect(readdirSync(join(state, 'home', 'jobs'))).toEqual([]);
  expect(existsSync(halfMade)).toBe(false);
  console.log(
    `evidence: kill -9 of ourselves and the watchdog: the next start ended ${ended} of ${before} processes`,
  );
  await shell.processes.end({ kind: 'shutdown' });
});

it('Toolwright sends the watchdog away when nothing is left, before it ends itself', async () => {
  const earlier = watchdogsOf(process.pid);
  const shell = openTestShell();
  await shell.run('true');
  const dogs = watchdogsOf(process.pid).filter((dog) => !earlier.includes(dog));
  expect(dogs).toHaveLength(1);
  await shell.processes.end({ kind: 'shutdown' });
  expect(dogs.filter(isAlive)).toEqual([]);
});

it('Toolwright does not touch what a living process of ours runs', async () => {
  await startProgram('wait');
  const shell = openTestShell({ state: openStateFolder(join(state, 'home')) });
  expect(await shell.processes.reap(new AbortController().signal)).toBe(0);
  expect(left().length).toBeGreaterThanOrEqual(7);
  child?.kill('SIGKILL');
  await until(() => left().length === 0);
});

it('Toolwright ends its processes as an ordinary user as well', async () => {
  if (process.getuid?.() !== 0) {
    console.log('skipped: the other tests ran as an ordinary user already');
    return;
  }
  const prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
  const output = await startProgram('cancel', prefix);
  await until(() => child?.exitCode !== null);
  expect(output()).toContain(
    `ended ${JSON.stringify(Array(3).fill({ stopped: { kind: 'user' }, left: 0 }))}`,
  );
  expect(output()).toMatch(/blocked .*"prompt":"Password:","echo":false/);
  expect(left()).toEqual([]);
  const limits = /^limits (.*)$/m.exec(output())?.[1] ?? '';
  console.log(`evidence: as an ordinary user: ${left().length} processes left after a cancel; ${limits}`);
});
