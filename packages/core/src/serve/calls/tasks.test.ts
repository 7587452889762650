import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { beginCall, type Start } from './call-under-way.js';
import { createTasks } from './tasks.js';

const HOUR = 60 * 60_000;

function bench() {
  const clock = createFakeClock();
  const tasks = createTasks(clock);
  const create = (start: Start): string =>
    String(tasks.create(beginCall(start, { clock, questionLimitMs: 1_000 }))['taskId']);
  return { clock, tasks, create };
}

/** Runs until it is cancelled. */
const endless: Start = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: [] })));

it('a task tells its state, its last output, and in the end the result of its call', async () => {
  const { tasks, create } = bench();
  const finish: { now?(): void } = {};
  const id = create(async ({ hearer }) => {
    await new Promise<void>((resolve) => {
      finish.now = resolve;
    });
    hearer().progress?.({ progress: 1, message: 'half of it' });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  expect(tasks.find(id)?.describe()).toMatchObject({ taskId: id, status: 'working', ttlMs: HOUR });
  finish.now?.();
  await expect.poll(() => tasks.find(id)?.describe()['status']).toBe('completed');
  expect(tasks.find(id)?.describe()).toMatchObject({
    statusMessage: 'half of it',
    result: { content: [{ type: 'text', text: 'done' }] },
  });
});

it('a question of a task waits in it, and answers that do not fit are as good as none', async () => {
  const { tasks, create } = bench();
  const id = create(({ ask, signal }) => ask({ sure: { method: 'elicitation/create' } }, signal));
  await expect
    .poll(() => tasks.find(id)?.describe())
    .toMatchObject({
      status: 'input_required',
      inputRequests: { sure: { method: 'elicitation/create' } },
    });
  for (const wrong of [null, 'yes', { sure: 'yes' }, { sure: { action: 'maybe' } }, { other: {} }])
    tasks.find(id)?.answer(wrong);
  expect(tasks.find(id)?.describe()['status']).toBe('input_required');
  tasks.find(id)?.answer({ sure: { action: 'decline' } });
  await expect
    .poll(() => tasks.find(id)?.describe())
    .toMatchObject({
      status: 'completed',
      result: { sure: { action: 'decline' } },
    });
});

it('a cancelled task stays cancelled, and cancelling one that has ended changes nothing', async () => {
  const { tasks, create } = bench();
  const id = create(endless);
  tasks.find(id)?.cancel();
  expect(tasks.find(id)?.describe()).toMatchObject({ status: 'cancelled' });
  const ended = create(async () => ({}));
  await expect.poll(() => tasks.find(ended)?.describe()['status']).toBe('completed');
  tasks.find(ended)?.cancel();
  expect(tasks.find(ended)?.describe()['status']).toBe('completed');
});

it('a call that breaks is a failed task with the error', async () => {
  const { tasks, create } = bench();
  const id = create(async () => {
    throw new Error('the journal is full');
  });
  await expect
    .poll(() => tasks.find(id)?.describe())
    .toMatchObject({
      status: 'failed',
      error: { code: -32_603, message: 'the journal is full' },
    });
});

it('no more than 64 tasks are kept, each for an hour; those at work are never forgotten', async () => {
  const { clock, tasks, create } = bench();
  const working = create(endless);
  const others = Array.from({ length: 63 }, () => create(async () => ({})));
  expect(tasks.hasRoom()).toBe(false);
  await expect.poll(() => tasks.find(others[0]!)?.describe()['status']).toBe('completed');
  clock.advance(HOUR - 1);
  expect(tasks.hasRoom()).toBe(false);
  clock.advance(1);
  expect(tasks.hasRoom()).toBe(true);
  expect(tasks.find(others[0]!)).toBeNull();
  expect(tasks.find(working)?.describe()['status']).toBe('working');
  expect(tasks.find('no task')).toBeNull();
});
