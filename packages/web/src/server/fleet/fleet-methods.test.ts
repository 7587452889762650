import { type ConfirmRequest, openState } from '@toolwright/core';
import { createClock, createIds, parkedQuestions } from '@toolwright/core/front-end';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FleetBoard, TaskRecord, TaskState } from '../../wire/fleet.js';
import type { FleetDoor, FleetNews } from './fleet-door.js';
import { fleetMethods } from './fleet-methods.js';
import { FleetWatch } from './fleet-watch.js';
import { gatherTasks, MOST_ROWS } from './gather-tasks.js';

const NOW = 10_000_000;
const usage = { turns: 2, calls: 3, inputTokens: 100, outputTokens: 10, cost: 0.5 };
const states: TaskState[] = ['parked', 'running', 'failed', 'poison', 'done', 'cancelled', 'queued'];

const request: ConfirmRequest = {
  callId: 'c',
  tool: 'edit',
  description: 'Edit /place/a.txt',
  reason: 'default mode asks before writing',
  details: {
    kind: 'edit',
    title: 'Edit a.txt',
    effects: [{ kind: 'write', path: '/place/a.txt' }],
    diff: {
      kind: 'diff',
      files: [{ path: 'a.txt', change: 'modify', unified: '@@ -1 +1 @@\n-a\n+b\n', added: 1, removed: 1 }],
    },
  } as ConfirmRequest['details'],
  offers: [{ rule: 'Edit(a.txt)', allows: 'changes to a.txt' }],
  modifiable: true,
};
const asked = parkedQuestions([request], { data: (value) => value });
const questions = asked.map(({ digest }) => ({ digest, title: 'Edit a.txt +1 -1' }));

function taskIn(state: TaskState, id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  const task = {
    id,
    prompt: `Do ${id}`,
    workspace: { kind: 'folder' as const, path: '/place' },
    labels: ['l'],
  };
  return { task, title: `Do ${id}`, state, attempts: 1, usage, ...more };
}

/** A fleet that is kept in a list. */
function doorOver(tasks: TaskRecord[]): FleetDoor & { tell(news: FleetNews): void } {
  let onEvent: (news: FleetNews) => void = () => undefined;
  const find = (id: string): TaskRecord => tasks.find(({ task }) => task.id === id)!;
  return {
    place: '/fleet',
    now: () => NOW,
    async status() {
      const count = (state: TaskState) => tasks.filter((each) => each.state === state).length;
      return {
        states: Object.fromEntries(states.map((state) => [state, count(state)])) as FleetBoard['states'],
        usage,
        lastFailure: null,
      };
    },
    async *records() {
      yield* tasks;
    },
    async read(id) {
      const at = '2026-01-02T03:04:05.000Z';
      const call = {
        v: 1,
        at,
        type: 'call-start',
        callId: 'c',
        tool: 'edit',
        args: { path: 'a.txt' },
        effects: null,
      };
      const record = find(id);
      const open = (record.questions ?? []).filter(({ answer }) => !answer).map(({ digest }) => digest);
      const waiting = asked.filter(({ digest }) => open.includes(digest));
      return { record, questions: waiting, journal: `${JSON.stringify(call)}\nhalf of a li` };
    },
    readPatch: async (id) => (find(id).outcome ? 'diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n' : null),
    async answer({ task, digest }, answer) {
      const found = find(task).questions?.find((each) => each.digest === digest && !each.answer);
      if (found) found.answer = answer;
      return found !== undefined;
    },
    cancel: async () => true,
    retry: async () => false,
    listen: async (given) => void (onEvent = given),
    tell: (news) => onEvent(news),
    close: async () => undefined,
  };
}

let temp: TempWorkspace;
let boards: (FleetBoard | null)[];
let news: FleetNews[];
let door: ReturnType<typeof doorOver> | null;
let watch: FleetWatch;
let methods: ReturnType<typeof fleetMethods>;
let tasks: TaskRecord[];

beforeEach(() => {
  temp = createTempWorkspace();
  [boards, news] = [[], []];
  tasks = [
    taskIn('parked', 'asks', { questions: structuredClone(questions) }),
    taskIn('done', 'old', { startedAt: 1_000_000, endedAt: NOW - 700_000 }),
    taskIn('done', 'new', {
      startedAt: 9_900_000,
      endedAt: NOW - 60_000,
      outcome: outcomeOf('2 files changed'),
    }),
    taskIn('failed', 'bad', {
      endedAt: NOW - 1_000,
      failure: { kind: 'check', message: 'The check failed.' },
    }),
    taskIn('running', 'runs', { startedAt: NOW }),
  ];
  door = doorOver(tasks);
  const state = openState({ path: temp.outside, host: { clock: createClock(), ids: createIds() } });
  watch = new FleetWatch({
    openFleet: async () => door,
    isWatched: () => true,
    onBoard: (board) => void boards.push(board),
    onNews: (event) => void news.push(event),
  });
  methods = fleetMethods(watch, { state });
});
afterEach(async () => {
  await watch.close();
  await temp.cleanup();
});

function outcomeOf(summary: string): NonNullable<TaskRecord['outcome']> {
  return { response: '', summary, files: 2, added: 3, removed: 1, leftOut: [] };
}

describe('what the page asks of a fleet', () => {
  it('is its board with rate and time left, and its tasks with those first that need somebody', async () => {
    watch.wake();
    await expect.poll(() => boards).toHaveLength(1);
    // Two ended in the last ten minutes, in forty seconds of which one is known to have run.
    expect(boards[0]).toMatchObject({ place: '/fleet', perMinute: 3, leftMs: 20_000, problem: null });
    const { rows, more } = await methods['list/tasks']({});
    expect([rows.map(({ id }) => id), more]).toEqual([['asks', 'runs', 'bad', 'new', 'old'], 0]);
    expect(rows[0]).toMatchObject({ asks: ['Edit a.txt +1 -1'], place: '/place', tokens: 110, cost: 0.5 });
    expect(rows[3]).toMatchObject({ summary: '2 files changed', added: 3, why: '' });
    expect((await methods['list/tasks']({ state: 'failed' })).rows).toMatchObject([
      { why: 'The check failed.' },
    ]);
    await expect(methods['read/task-changes']({ id: 'old' })).resolves.toBeNull();
    expect((await methods['read/task-changes']({ id: 'new' }))?.files).toMatchObject([
      { path: 'x', added: 1 },
    ]);
  });

  it('is a task with its question in the words of every front end, a yes and a no, and its journal', async () => {
    const view = await methods['read/task']({ id: 'asks' });
    expect(view.questions.map(({ digest }) => digest)).toEqual([questions[0]!.digest]);
    expect(view.questions[0]?.question.answers.map(({ kind }) => kind)).toEqual(['once', 'no']);
    expect(view.items).toMatchObject([{ kind: 'call', tool: 'edit', brief: 'a.txt', state: 'running' }]);
    expect((await methods['read/task-call']({ task: 'asks', callId: 'c' })).args).toEqual({ path: 'a.txt' });
    await expect(methods['read/task-call']({ task: 'asks', callId: 'x' })).rejects.toThrow(
      'There is no call x',
    );
  });

  it('is an answer to exactly the question of the digest, once', async () => {
    const { digest } = questions[0]!;
    const answer = (given: { digest: string; answer: number; reason?: string }) =>
      methods['answer/task']({ task: 'asks', ...given });
    expect(await answer({ digest: 'another question', answer: 0 })).toEqual({ taken: false });
    await expect(answer({ digest, answer: 7 })).rejects.toThrow('takes a yes or a no');
    expect(await answer({ digest, answer: 1, reason: ' not this one ' })).toEqual({ taken: true });
    expect(tasks[0]?.questions?.[0]?.answer).toEqual({ agrees: false, reason: 'not this one' });
    expect(await answer({ digest, answer: 0 })).toEqual({ taken: false });
    expect(await methods['prompt/task']({ id: 'runs', action: 'cancel' })).toEqual({ taken: true });
    expect(await methods['prompt/task']({ id: 'runs', action: 'retry' })).toEqual({ taken: false });
  });

  it('is told anew when something happens, and says so while the fleet can’t be reached or is not there', async () => {
    watch.wake();
    await expect.poll(() => boards).toHaveLength(1);
    tasks.push(taskIn('done', 'later', { endedAt: NOW }));
    door?.tell({ type: 'task-state', id: 'later' });
    await expect.poll(() => boards.at(-1)?.states.done).toBe(3);
    expect(boards.at(-1)?.stamp).toBeGreaterThan(boards[0]?.stamp ?? 0);
    expect(news).toEqual([{ type: 'task-state', id: 'later' }]);
    Object.assign(door!, { status: () => Promise.reject(new Error('No NATS server could be reached.')) });
    watch.wake();
    await vi.waitFor(() => expect(boards.at(-1)?.problem).toBe('No NATS server could be reached.'), {
      timeout: 5_000,
    });
    expect(boards.at(-1)?.states.done).toBe(3);
  });

  it('is nothing before there is a fleet, which may come later', async () => {
    const [later] = [door];
    door = null;
    watch.wake();
    await expect.poll(() => boards).toEqual([null]);
    await expect(methods['read/task']({ id: 'asks' })).rejects.toThrow('There is no fleet here yet.');
    door = later;
    watch.wake();
    await expect.poll(() => boards.at(-1)?.states.parked).toBe(1);
  });
});

it('the board keeps the latest tasks of each state, however many there are', async () => {
  async function* many(): AsyncGenerator<TaskRecord> {
    for (let index = 0; index < 5_000; index++)
      yield taskIn('done', `t${index}`, { startedAt: index, endedAt: index * 10 });
  }
  const { rows, ended, workedMs } = await gatherTasks(many(), { now: 50_000 });
  expect([rows.done.length, rows.done[0]?.id, rows.done.at(-1)?.id]).toEqual([MOST_ROWS, 't4999', 't4800']);
  expect([ended, workedMs]).toEqual([5_000, 50_000]);
});

it('the rate is that of the time in which tasks ran, however long ago that was', async () => {
  async function* records(): AsyncGenerator<TaskRecord> {
    yield taskIn('done', 'one', { startedAt: 0, endedAt: 20_000 });
    yield taskIn('done', 'two', { startedAt: 10_000, endedAt: 30_000 });
    yield taskIn('parked', 'asks', { startedAt: 30_000 });
  }
  const looks = [30_000, 300_000].map((now) => gatherTasks(records(), { now }));
  const work = { ended: 2, workedMs: 30_000 };
  expect(await Promise.all(looks)).toMatchObject([work, work]);
});

it('the time in which tasks ran is that before now, also where the clock of a worker is ahead', async () => {
  async function* records(): AsyncGenerator<TaskRecord> {
    yield taskIn('done', 'ahead', { startedAt: 90_000, endedAt: 10 ** 15 });
    yield taskIn('running', 'later', { startedAt: 10 ** 15 });
  }
  expect(await gatherTasks(records(), { now: 100_000 })).toMatchObject({ ended: 1, workedMs: 10_000 });
});
