import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@toolwright/machine/host/node-host.js';
import { openStateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { createFakeClock, type FakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it, onTestFinished } from 'vitest';
import { CallUnderWay, type Start } from '../calls/call-under-way.js';
import { answersIn } from '../calls/input-answers.js';
import { openSavedTasks } from './saved-tasks.js';
import { toModernTask } from './task-requests.js';
import { createTasks } from './tasks.js';

const HOUR = 60 * 60_000;

function bench({ clock = createFakeClock(), folder = '', directory = '/work' } = {}) {
  const state = openStateFolder(folder);
  const saved = folder === '' ? undefined : openSavedTasks({ state, clock, log: silentLog, directory });
  const tasks = createTasks(clock, saved);
  const create = (start: Start): string =>
    tasks.create(new CallUnderWay(start, { clock, questionLimitMs: 1_000 })).id;
  const view = async (id: string) => (await tasks.find(id))?.view();
  const status = async (id: string) => (await view(id))?.status;
  const cancel = async (id: string) => (await tasks.find(id))?.cancel();
  const answer = async (id: string, responses: unknown): Promise<void> => {
    const call = (await tasks.find(id))?.call;
    call?.answer(answersIn(responses, call.state));
  };
  return { clock, tasks, create, view, status, cancel, answer };
}

/** Runs until it is cancelled. */
const endless: Start = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: [] })));

it('a task tells its state, its last output, and in the end the result of its call', async () => {
  const { create, view, status } = bench();
  const finish: { now?(): void } = {};
  const id = create(async ({ hearer }) => {
    await new Promise<void>((resolve) => {
      finish.now = resolve;
    });
    hearer().progress?.({ progress: 1, message: 'half of it' });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  expect(toModernTask((await view(id))!)).toMatchObject({ taskId: id, status: 'working', ttlMs: HOUR });
  finish.now?.();
  await expect.poll(() => status(id)).toBe('completed');
  expect(await view(id)).toMatchObject({
    statusMessage: 'half of it',
    result: { content: [{ type: 'text', text: 'done' }] },
  });
});

it('a question of a task waits in it, and answers that do not fit are as good as none', async () => {
  const { create, view, status, answer } = bench();
  const id = create(({ ask, signal }) => ask({ sure: { method: 'elicitation/create' } }, signal));
  await expect
    .poll(() => view(id))
    .toMatchObject({ status: 'input_required', requests: { sure: { method: 'elicitation/create' } } });
  for (const wrong of [null, 'yes', { sure: 'yes' }, { sure: { action: 'maybe' } }, { other: {} }])
    await answer(id, wrong);
  expect(await status(id)).toBe('input_required');
  await answer(id, { sure: { action: 'decline' } });
  await expect
    .poll(() => view(id))
    .toMatchObject({ status: 'completed', result: { sure: { action: 'decline' } } });
});

it('a cancelled task stays cancelled, and cancelling one that has ended changes nothing', async () => {
  const { create, status, cancel } = bench();
  const id = create(endless);
  await cancel(id);
  expect(await status(id)).toBe('cancelled');
  const ended = create(async () => ({}));
  await expect.poll(() => status(ended)).toBe('completed');
  await cancel(ended);
  expect(await status(ended)).toBe('completed');
});

it('a call that breaks is a failed task with the error', async () => {
  const { create, view } = bench();
  const id = create(async () => {
    throw new Error('the journal is full');
  });
  await expect
    .poll(() => view(id))
    .toMatchObject({ status: 'failed', error: { code: -32_603, message: 'the journal is full' } });
});

it('no more than 64 tasks are kept, each for an hour; those at work are never forgotten', async () => {
  const { clock, tasks, create, status } = bench();
  const working = create(endless);
  const others = Array.from({ length: 63 }, () => create(async () => ({})));
  expect(tasks.hasRoom()).toBe(false);
  await expect.poll(() => status(others[0]!)).toBe('completed');
  clock.advance(HOUR - 1);
  expect(tasks.hasRoom()).toBe(false);
  clock.advance(1);
  expect(tasks.hasRoom()).toBe(true);
  expect(await tasks.find(others[0]!)).toBeNull();
  expect(await status(working)).toBe('working');
  expect(await tasks.find('no task')).toBeNull();
});

/** A state folder, and a clock that shows the time of its files. */
function stateFolder(): { folder: string; clock: FakeClock; saved(): string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-tasks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = createFakeClock();
  clock.advance(Date.now() - clock.now());
  return { folder, clock, saved: () => readdirSync(join(folder, 'mcp', 'served-tasks')) };
}

const done = { content: [{ type: 'text', text: 'done' }] };

it('a finished task is found by the next server in the same folder, by nobody else, and for an hour', async () => {
  const { folder, clock, saved } = stateFolder();
  const first = bench({ folder, clock });
  const id = first.create(async () => done);
  await expect.poll(() => first.status(id)).toBe('completed');
  await first.tasks.close();
  expect(statSync(join(folder, 'mcp', 'served-tasks', saved()[0]!)).mode & 0o077).toBe(0);
  const next = bench({ folder, clock });
  expect(await next.view(id)).toMatchObject({ id, status: 'completed', result: done });
  await next.cancel(id);
  expect(await next.status(id)).toBe('completed');
  expect(await bench({ folder, clock, directory: '/elsewhere' }).view(id)).toBeUndefined();
  expect(await next.view(`../served-tasks/${id}`)).toBeUndefined();
  clock.advance(HOUR + 1_000);
  expect(await next.view(id)).toBeUndefined();
});

it('the end of a task is told only once it is saved', async () => {
  const clock = createFakeClock();
  const release: (() => void)[] = [];
  const save = () => new Promise<void>((resolve) => void release.push(resolve));
  const tasks = createTasks(clock, { save, find: async () => null });
  const { id } = tasks.create(new CallUnderWay(async () => done, { clock, questionLimitMs: 1_000 }));
  let told = '';
  const looking = tasks
    .find(id)
    .then((task) => task?.view())
    .then((view) => void (told = view?.status ?? ''));
  for (let saved = 0; saved < 2; saved += 1) {
    await expect.poll(() => release.length).toBe(saved + 1);
    expect(told).toBe('');
    release[saved]?.();
  }
  await looking;
  expect(told).toBe('completed');
});

it('a task that was not over when its server ended is told as failed, whether it said goodbye or was killed', async () => {
  const { folder, clock, saved } = stateFolder();
  const first = bench({ folder, clock });
  const [orderly, cancelled] = [first.create(endless), first.create(endless)];
  await first.cancel(cancelled);
  await first.tasks.close();
  const next = bench({ folder, clock });
  const sentence = 'The server ended before this task was done.';
  expect((await next.view(orderly))?.error?.message).toContain(sentence);
  expect(await next.status(cancelled)).toBe('cancelled');
  const killed = first.create(endless);
  const path = join(folder, 'mcp', 'served-tasks', `${killed}.json`);
  await expect.poll(() => saved()).toContain(`${killed}.json`);
  expect(await next.status(killed)).toBe('working');
  const record = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...record, owner: { ...record.owner, start: '1' } }), { mode: 0o600 });
  expect(await next.view(killed)).toMatchObject({ status: 'failed', error: { code: -32_603 } });
});

it('no more than 64 tasks lie on the disk, old ones go, and a result that is too large is not kept', async () => {
  const { folder, clock, saved } = stateFolder();
  const first = bench({ folder, clock });
  const old = first.create(async () => done);
  await first.tasks.close();
  const past = new Date(clock.now() - HOUR - 1_000);
  utimesSync(join(folder, 'mcp', 'served-tasks', `${old}.json`), past, past);
  const large = first.create(async () => ({ content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] }));
  await expect.poll(() => first.status(large)).toBe('completed');
  await first.tasks.close();
  expect(saved()).toEqual([`${large}.json`]);
  expect((await bench({ folder, clock }).view(large))?.error?.message).toContain('too large');
  for (let index = 0; index < 70; index += 1) {
    first.create(async () => done);
    await first.tasks.close();
  }
  expect(saved()).toHaveLength(64);
});

it('files that nobody of us wrote are no tasks, and a disk that takes nothing costs no task', async () => {
  const { folder, clock } = stateFolder();
  const id = '00000000-0000-4000-8000-000000000000';
  mkdirSync(join(folder, 'mcp', 'served-tasks'), { recursive: true, mode: 0o700 });
  for (const text of ['', '{', '[]', '{"v":1}', '{"v":1,"directory":"/work","task":7}', '{"v":2}']) {
    writeFileSync(join(folder, 'mcp', 'served-tasks', `${id}.json`), text, { mode: 0o600 });
    expect(await bench({ folder, clock }).view(id)).toBeUndefined();
  }
  writeFileSync(join(folder, 'file'), '');
  const { create, status, tasks } = bench({ folder: join(folder, 'file'), clock });
  const unsaved = create(async () => done);
  await expect.poll(() => status(unsaved)).toBe('completed');
  await tasks.close();
});
