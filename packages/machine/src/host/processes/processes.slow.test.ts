import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClock, createIds, silentLog } from '../node-host.js';
import { createProcesses } from './create-processes.js';
import { openTestShell, type TestShell, until } from './fixtures/shell.js';

let shell: TestShell;
beforeEach(() => {
  shell = openTestShell();
});
afterEach(async () => {
  await shell.processes.end({ kind: 'shutdown' });
  expect(shell.left()).toEqual([]);
});

it('a run tells how a command ended, with its streams separate', async () => {
  const ended = await shell.run('echo out; echo err >&2; exit 3');
  expect(ended).toMatchObject({
    exitCode: 3,
    signal: null,
    stopped: null,
    stdout: { head: 'out\n' },
    stderr: { head: 'err\n' },
    survivors: [],
    left: 0,
  });
});

it('a run keeps the true order of both streams when they are one', async () => {
  const ended = await shell.run('for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done', { merge: true });
  expect(ended.stdout.head).toBe([1, 2, 3, 4, 5].map((turn) => `out${turn}\nerr${turn}\n`).join(''));
  expect(ended.stderr.totalBytes).toBe(0);
});

it('a run names the signal that ended a command', async () => {
  expect(await shell.run('kill -SEGV $$')).toMatchObject({
    exitCode: null,
    signal: 'SIGSEGV',
    stopped: null,
  });
});

it('a run gives a command an empty input, so that nothing waits for it', async () => {
  expect(await shell.run('read line; echo "status $?"; cat')).toMatchObject({
    exitCode: 0,
    stdout: { head: 'status 1\n' },
  });
});

it('a run has no terminal that a program could ask at', async () => {
  const ended = await shell.run('(read line </dev/tty) 2>/dev/null || echo none');
  expect(ended.stdout.head).toBe('none\n');
});

it('a run gives true pipes, which programs may open by name', async () => {
  const ended = await shell.run('echo one >/dev/stdout; echo two >/dev/stderr; echo three | tee /dev/stderr');
  expect(ended).toMatchObject({ stdout: { head: 'one\nthree\n' }, stderr: { head: 'two\nthree\n' } });
});

it('a run writes the given input and closes it', async () => {
  expect(await shell.run('cat; echo done', { input: 'one\ntwo\n' })).toMatchObject({
    stdout: { head: 'one\ntwo\ndone\n' },
  });
});

it('a run talks to a program that keeps reading', async () => {
  let heard = '';
  const running = await shell.start('while read -r line; do echo "got $line"; done', {
    keepInputOpen: true,
    onBytes: (bytes) => {
      heard += bytes.toString();
    },
  });
  await running.write('one\n');
  await expect.poll(() => heard).toBe('got one\n');
  running.closeInput();
  expect(await running.ended).toMatchObject({ exitCode: 0 });
  await expect(running.write('two\n')).rejects.toThrow(/has ended/);
});

it('a run lets a program wait for its input', async () => {
  const running = await shell.start('cat', { keepInputOpen: true });
  await new Promise((resolve) => setTimeout(resolve, 150));
  await running.write('late');
  running.closeInput();
  expect(await running.ended).toMatchObject({ exitCode: 0, stdout: { head: 'late' }, stderr: { head: '' } });
});

it('a run survives a program that does not read what it is given', async () => {
  expect(await shell.run('exec 0<&-; exit 0', { input: 'x'.repeat(1_000_000) })).toMatchObject({
    exitCode: 0,
  });
});

it('a run hands text on as it comes, with no character cut in two', async () => {
  const pieces: string[] = [];
  await shell.run(`printf '\\xe2\\x82'; sleep 0.05; printf '\\xac!'`, {
    onOutput: (text) => pieces.push(text),
  });
  expect(pieces.join('')).toBe('€!');
});

it('a run shows of a flood a little, and hands on and keeps all of it', async () => {
  const shown: string[] = [];
  const bytes: Buffer[] = [];
  const ended = await shell.run('seq 3000000', {
    onOutput: (text) => shown.push(text),
    onBytes: (piece) => void bytes.push(piece),
  });
  const whole = Buffer.concat(bytes).toString();
  expect(whole).toBe(`${Array.from({ length: 3_000_000 }, (_, index) => index + 1).join('\n')}\n`);
  expect(ended.stdout.totalBytes).toBe(whole.length);
  expect(whole.startsWith(ended.stdout.head) && whole.endsWith(ended.stdout.tail)).toBe(true);
  expect(shown.join('').length).toBeLessThan(whole.length / 4);
  expect(shown.at(-1)?.endsWith('\n3000000\n')).toBe(true);
});

it('a run goes on when a listener throws', async () => {
  const ended = await shell.run('echo one', {
    onOutput: () => {
      throw new Error('listener');
    },
  });
  expect(ended).toMatchObject({ exitCode: 0, stdout: { head: 'one\n' } });
});

it('a run says which program is missing, and which directory', async () => {
  const { signal } = new AbortController();
  const launch = {
    program: 'no-such-program',
    args: [],
    directory: '/tmp',
    environment: { PATH: '/usr/bin' },
  };
  await expect(shell.processes.run(launch, { signal })).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no program no-such-program in the PATH. Check the name, or install it.',
  });
  await expect(
    shell.processes.run({ ...launch, program: 'true', directory: '/no/such/folder' }, { signal }),
  ).rejects.toMatchObject({
    code: 'not_found',
    message:
      'The working directory /no/such/folder does not exist (any more). Name another one, or make it first.',
  });
  await expect(shell.processes.run({ ...launch, program: '/etc/passwd' }, { signal })).rejects.toMatchObject({
    message: expect.stringContaining('may not be executed'),
  });
});

it('a run refuses what no program can be given', async () => {
  await expect(shell.run('echo \0')).rejects.toMatchObject({ code: 'invalid_params' });
  const long = { input: '', signal: new AbortController().signal };
  await expect(
    shell.processes.run({ ...shell.launch('true'), args: ['-c', 'true', 'x'.repeat(3_000_000)] }, long),
  ).rejects.toMatchObject({ code: 'invalid_params', message: expect.stringContaining('E2BIG') });
});

it('a run passes nothing of our own environment on', async () => {
  const { signal } = new AbortController();
  const ended = await createProcesses({ clock: createClock(), ids: createIds(), log: silentLog }).run(
    { program: 'env', args: [], directory: '/tmp', environment: { PATH: '/usr/bin', merge: 'kept' } },
    { signal, merge: true },
  );
  const names = ended.stdout.head
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
    // A shell that closes descriptors sets it; one stands in front where the tests were started with some open.
    .filter((name) => name !== 'SHLVL');
  expect(names.sort()).toEqual(['PATH', 'PWD', 'TOOLWRIGHT_RUN', 'merge']);
});

it('a run makes a program wait for a slow listener, who hears all of it in order', async () => {
  let heard = '';
  let waiting = 0;
  let mostWaiting = 0;
  await shell.run('seq 1 200000', {
    async onBytes(bytes) {
      mostWaiting = Math.max(mostWaiting, ++waiting);
      await new Promise((resolve) => setTimeout(resolve, 5));
      heard += bytes;
      waiting--;
    },
  });
  expect(mostWaiting).toBeLessThanOrEqual(2);
  expect(heard.length).toBe(1_288_895);
  expect(heard.endsWith('\n199999\n200000\n')).toBe(true);
});

it('a run ends a command that prints more than it may', async () => {
  const ended = await shell.run('yes', { maxOutputBytes: 1_000_000 });
  expect(ended.stopped).toEqual({ kind: 'limit' });
  expect(ended.stdout.totalBytes).toBeGreaterThan(1_000_000);
});

it('a run does not start at all when it was called off before', async () => {
  await expect(shell.run('true', { signal: AbortSignal.abort({ kind: 'user' }) })).rejects.toEqual({
    kind: 'user',
  });
});

it('a run runs a program that starts nothing as a bare process, and tells only how it ended', async () => {
  const bare = { startsNothing: true };
  expect(await shell.run('echo unheard; exit 3', bare)).toMatchObject({
    exitCode: 3,
    stdout: { totalBytes: 0 },
    left: 0,
  });
  const stop = new AbortController();
  const folder = mkdtempSync(join(tmpdir(), 'bare-'));
  const ready = join(folder, 'ready');
  const running = await shell.start(`trap "" TERM; : >${ready}; while :; do :; done`, {
    ...bare,
    graceMs: 50,
    signal: stop.signal,
  });
  await until(() => existsSync(ready));
  rmSync(folder, { recursive: true });
  expect(shell.left()).toHaveLength(1);
  stop.abort({ kind: 'user' });
  expect(await running.ended).toMatchObject({ signal: 'SIGKILL', stopped: { kind: 'user' }, left: 0 });
});
