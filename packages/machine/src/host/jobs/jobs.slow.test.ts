import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { createClock, createIds, silentLog } from '../node-host.js';
import { openTestShell, type TestShell, until } from '../processes/fixtures/shell.js';
import { openStateFolder } from '../state/state-folder.js';
import { createJobs } from './create-jobs.js';
import type { Job, Jobs } from './jobs.js';

let folder: string;
let shell: TestShell;
let jobs: Jobs;
beforeEach(() => {
  folder = tempFolder();
  shell = openTestShell();
  jobs = createJobs({
    clock: createClock(),
    ids: createIds(),
    log: silentLog,
    processes: shell.processes,
    state: openStateFolder(join(folder, 'state')),
    maxLogBytes: 100_000,
  });
});
afterEach(async () => {
  await jobs.end();
  await shell.processes.end({ kind: 'shutdown' });
  expect(shell.left()).toEqual([]);
});

const start = (command: string, more = {}): Promise<Job> =>
  jobs.start({ command, directory: '/tmp', launch: shell.launch(command), ...more });
const { signal } = new AbortController();

it('a job runs beside us, with its output in a log', async () => {
  const job = await start('echo hello; sleep 1000');
  expect(job).toMatchObject({ id: 'job-1', status: { kind: 'running' }, endedAt: null, ports: [] });
  await until(async () => (await jobs.output(job.id)).text !== '');
  expect(await jobs.output(job.id)).toMatchObject({ text: 'hello\n', next: 6, dropped: 0, isAtEnd: true });
  expect(readFileSync(job.logPath, 'utf8')).toBe('hello\n');
  expect(await jobs.list()).toHaveLength(1);
});

it('a job gives only what is new after the place that was read', async () => {
  const job = await start('echo one; sleep 0.2; echo two');
  await until(async () => (await jobs.get(job.id)).status.kind === 'ended');
  const first = await jobs.output(job.id, { maxBytes: 4 });
  expect(first).toMatchObject({ text: 'one\n', next: 4, isAtEnd: false });
  expect(await jobs.output(job.id, { after: first.next })).toMatchObject({ text: 'two\n', isAtEnd: true });
});

it('a job says how it ended', async () => {
  const job = await start('exit 7');
  await until(async () => (await jobs.get(job.id)).status.kind === 'ended');
  expect((await jobs.get(job.id)).status).toEqual({
    kind: 'ended',
    exitCode: 7,
    signal: null,
    stopped: null,
  });
});

it('a job lives as long as something of it does, also behind an ampersand', async () => {
  const job = await start('(echo begun; sleep 1000) & echo done');
  await until(async () => (await jobs.output(job.id)).text.length >= 11);
  expect((await jobs.get(job.id)).status).toEqual({ kind: 'running' });
  const stopped = await jobs.stop(job.id);
  expect(stopped.status).toMatchObject({ kind: 'ended', exitCode: 0, stopped: { kind: 'user' } });
  expect(shell.left()).toEqual([]);
});

it('a command that runs already becomes a job, with all it printed', async () => {
  const controller = new AbortController();
  const running = await shell.start('echo before; sleep 0.4; echo after', {
    signal: controller.signal,
    merge: true,
    timeoutMs: 200,
  });
  await until(async () => (await running.output()).stdout.totalBytes > 0);
  const job = await jobs.adopt(running, { command: 'slow', directory: '/tmp' });
  expect(job.bytes).toBe(7);
  controller.abort({ kind: 'user' });
  await until(async () => (await jobs.get(job.id)).status.kind === 'ended');
  expect(await jobs.output(job.id)).toMatchObject({ text: 'before\nafter\n' });
  expect((await jobs.get(job.id)).status).toMatchObject({ exitCode: 0, stopped: null });
});

const server = (port: number) =>
  `node -e "setTimeout(() => require('node:net').createServer().listen(${port}, '127.0.0.1'), 150)"`;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

it('a job names the ports it listens on', async () => {
  const port = await freePort();
  const job = await start(server(port));
  await until(async () => (await jobs.get(job.id)).ports.includes(port));
});

it('a job is waited for until it ends or asks somebody, or the time is up', async () => {
  const limit = { timeoutMs: 20_000, signal };
  const ending = await start('echo broken; exit 1');
  await jobs.untilEndedOrWaiting(ending.id, limit);
  expect((await jobs.get(ending.id)).status).toMatchObject({ kind: 'ended', exitCode: 1 });
  const asking = await start('read -p "Name: " name', { terminal: { columns: 80, rows: 24 } });
  await jobs.untilEndedOrWaiting(asking.id, limit);
  expect((await jobs.get(asking.id)).status).toMatchObject({ kind: 'waiting' });
  const lasting = await start('sleep 1000');
  await jobs.untilEndedOrWaiting(lasting.id, { timeoutMs: 200, signal });
  expect((await jobs.get(lasting.id)).status).toEqual({ kind: 'running' });
});

it('a job keeps the log of a flood within its limit', async () => {
  const job = await start('yes | head -c 5000000; echo; echo end');
  await until(async () => (await jobs.get(job.id)).status.kind === 'ended');
  const text = readFileSync(job.logPath, 'utf8');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_000);
  expect(text.includes('bytes were dropped here')).toBe(true);
  expect(text.endsWith('\nend\n')).toBe(true);
  expect((await jobs.get(job.id)).bytes).toBe(5_000_005);
  const middle = await jobs.output(job.id, { after: 2_000_000 });
  expect(middle.dropped).toBeGreaterThan(0);
  expect(middle.text.endsWith('\nend\n')).toBe(true);
});

it('a missing job is answered with the names of those there are', async () => {
  await expect(jobs.get('job-9')).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no job "job-9". There are no jobs in this session.',
  });
  await start('sleep 1000');
  await expect(jobs.stop('job-9')).rejects.toMatchObject({
    message: 'There is no job "job-9". There is job-1.',
  });
});

it('a job tells of beginnings and ends', async () => {
  const told: string[] = [];
  const stopTelling = jobs.onChange((job) => told.push(`${job.id} ${job.status.kind}`));
  const job = await start('sleep 1000');
  await jobs.stop(job.id);
  await until(() => told.length === 2);
  expect(told).toEqual(['job-1 running', 'job-1 ended']);
  stopTelling();
});

it('a job takes answers, but a password only from the user', async () => {
  const command = 'read -p "Name: " name; read -s -p "Password: " word; echo; echo "$name $word"';
  const job = await start(command, { terminal: { columns: 80, rows: 24 } });
  const asks = (prompt: string) =>
    until(async () => {
      const { status } = await jobs.get(job.id);
      return status.kind === 'waiting' && status.blocked.prompt === prompt;
    });
  await asks('Name:');
  await jobs.input(job.id, 'me\n', 'model');
  await asks('Password:');
  await expect(jobs.input(job.id, 'guess\n', 'model')).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining('Only the user may answer that'),
  });
  await jobs.input(job.id, 'secret\n', 'user');
  await until(async () => (await jobs.get(job.id)).status.kind === 'ended');
  expect((await jobs.output(job.id)).text).toContain('me secret');
  await expect(jobs.input(job.id, 'x', 'model')).rejects.toThrow('job-1 has ended');
});

it('a job ends with the session', async () => {
  const job = await start('trap "" HUP; setsid sleep 1000 & sleep 1000');
  await until(() => shell.left().length >= 2);
  await jobs.end();
  expect((await jobs.get(job.id)).status).toMatchObject({ stopped: { kind: 'shutdown' } });
  expect(shell.left()).toEqual([]);
});
