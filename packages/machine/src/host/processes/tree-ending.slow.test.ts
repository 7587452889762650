import { closeSync, openSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestShell, type TestShell, until } from './fixtures/shell.js';

let shell: TestShell;
beforeEach(() => {
  shell = openTestShell();
});
afterEach(async () => {
  await shell.processes.end({ kind: 'shutdown' });
  expect(shell.left()).toEqual([]);
});

it('a run ends everything on abort, keeps what was printed, and says who stopped it', async () => {
  const controller = new AbortController();
  const running = await shell.start('echo begun; sleep 1000 & sleep 1000', { signal: controller.signal });
  await until(async () => (await running.output()).stdout.totalBytes > 0);
  controller.abort({ kind: 'user' });
  expect(await running.ended).toMatchObject({
    exitCode: null,
    signal: 'SIGTERM',
    stopped: { kind: 'user' },
    stdout: { head: 'begun\n' },
    left: 0,
  });
  expect(shell.left()).toEqual([]);
});

it('a run ends a command at its time limit', async () => {
  const ended = await shell.run('echo begun; sleep 1000', { timeoutMs: 200 });
  expect(ended).toMatchObject({ stopped: { kind: 'timeout' }, stdout: { head: 'begun\n' }, left: 0 });
});

it('a run kills what does not listen', async () => {
  const running = await shell.start('trap "" TERM; echo deaf; while :; do sleep 0.1; done', { graceMs: 100 });
  await until(async () => (await running.output()).stdout.totalBytes > 0);
  expect(await running.stop({ kind: 'user' })).toMatchObject({ signal: 'SIGKILL', left: 0 });
});

it('a run ends what was halted', async () => {
  const running = await shell.start('kill -STOP $$', {});
  await until(() => shell.left().length > 0);
  expect(await running.stop({ kind: 'user' })).toMatchObject({ left: 0 });
});

it('a run is over with the command though a child holds the pipe, and ends that child', async () => {
  const ended = await shell.run('sleep 1000 & echo done');
  expect(ended).toMatchObject({ exitCode: 0, stopped: null, stdout: { head: 'done\n' }, left: 0 });
  expect(ended.survivors.map(({ command }) => command)).toEqual(['sleep 1000']);
});

it('a run is over with the command though somebody else has opened its output', async () => {
  const running = await shell.start('echo begun; read -t 1000 line; echo done', { keepInputOpen: true });
  await until(async () => (await running.output()).stdout.totalBytes > 0);
  const held = openSync(`/proc/${running.pid}/fd/1`, 'w');
  try {
    await running.write('go on\n');
    expect(await running.ended).toMatchObject({
      exitCode: 0,
      stdout: { head: 'begun\ndone\n' },
      survivors: [],
    });
  } finally {
    closeSync(held);
  }
});

it('a run lets a child that is nearly done finish its output', async () => {
  const ended = await shell.run('echo one > >(sleep 0.03; cat)');
  expect(ended).toMatchObject({ exitCode: 0, stdout: { head: 'one\n' }, survivors: [] });
});

it('a run ends a child that has a session of its own and closed its output', async () => {
  const ended = await shell.run('setsid sleep 1000 >/dev/null 2>&1 & sleep 0.05; echo done');
  expect(ended.survivors.map(({ command }) => command)).toEqual(['sleep 1000']);
  expect(shell.left()).toEqual([]);
});

it('a run follows a tree to its end when told to', async () => {
  const running = await shell.start('(sleep 0.3; echo late) & echo early', { follow: 'tree' });
  expect(await running.ended).toMatchObject({ stdout: { head: 'early\nlate\n' }, survivors: [] });
});

it('a run lets a command go on as a job, without its limit and its old signal', async () => {
  const controller = new AbortController();
  const running = await shell.start('(sleep 0.4; echo late) & sleep 0.2; echo early', {
    signal: controller.signal,
    timeoutMs: 150,
  });
  running.release();
  running.listenTo(new AbortController().signal);
  controller.abort({ kind: 'user' });
  expect(await running.ended).toMatchObject({ stopped: null, stdout: { head: 'early\nlate\n' } });
});

it('a run lists who belongs to it', async () => {
  const running = await shell.start('sleep 1000 & wait');
  await until(async () => (await running.members()).length === 2);
  expect((await running.members()).map(({ command }) => command)).toContain('sleep 1000');
  await running.stop({ kind: 'user' });
  expect(await running.members()).toEqual([]);
});

it('a run ends all that runs at the end', async () => {
  const first = await shell.start('sleep 1000');
  const second = await shell.start('sleep 1000');
  await shell.processes.end({ kind: 'shutdown' });
  expect(await first.ended).toMatchObject({ stopped: { kind: 'shutdown' } });
  expect(await second.ended).toMatchObject({ stopped: { kind: 'shutdown' } });
});
