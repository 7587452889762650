import { randomBytes } from 'node:crypto';
import type { Clock } from '@toolwright/core';
import type { Claim, Engine, FleetEvent } from '../engine/engine.js';
import { type FleetLimits, leavePlaces, noLimits, readLimits, takePlaces } from '../schedule/limits.js';
import { openRates, type Rates } from '../schedule/rates.js';
import {
  addUsage,
  changeRecord,
  finalStates,
  newRecord,
  recordIn,
  removeUnnamed,
  type Snapshot,
  type TaskRecord,
} from '../schedule/record.js';
import { MOST_CRASHES, stepAfter } from '../schedule/retry.js';
import { TASK_FORMAT, type Task } from '../tasks/task.js';
import { type Room, watchRoom } from './room.js';
import type { TaskDoing, TaskEnd } from './run-task.js';

/** The options of a worker. */
export interface WorkerOptions {
  engine: Engine;
  /** A name for people: machine and process. */
  name: string;
  /** Tasks at a time. */
  slots: number;
  /** Bounds the tasks further by what the machine has; without it the slots alone do. */
  room?: Room;
  leaseMs: number;
  clock: Clock;
  random(): number;
  runTask(task: Task, doing: TaskDoing): Promise<TaskEnd>;
  /** Ends the worker once the queue is empty and nothing of it is put off. */
  untilEmpty?: boolean;
  say?(sentence: string): void;
  signal: AbortSignal;
}

/** Why the worker ended: it was told to, nothing is left, or the whole fleet has stopped. */
export type WorkerEnd = { kind: 'told' } | { kind: 'empty' } | { kind: 'stopped'; reason: string };

interface WorkerState extends WorkerOptions {
  rates: Rates;
  limits: FleetLimits;
  /** Ends a running task, by its id. */
  running: Map<string, AbortController>;
  stop: AbortController;
  told: Set<string>;
}

const LIMITS_EVERY_MS = 10_000;

/** Claims tasks and runs them until the signal. */
export async function runWorker(options: WorkerOptions): Promise<WorkerEnd> {
  const stop = new AbortController();
  const working: WorkerState = {
    ...options,
    limits: noLimits,
    rates: openRates(options.engine, () => working.limits, options.clock),
    running: new Map(),
    stop,
    told: new Set(),
    signal: AbortSignal.any([options.signal, stop.signal]),
  };
  const over = new AbortController();
  void options.engine.listen((event) => hear(event, working), over.signal, 'orders').catch(() => undefined);
  void followLimits(working, over.signal).catch(() => undefined);
  if (options.room)
    void watchRoom(options.room, working.running, { clock: options.clock, signal: over.signal }).catch(
      () => undefined,
    );
  try {
    working.limits = await readLimits(options.engine);
    await Promise.all(Array.from({ length: options.slots }, () => lane(working)));
  } finally {
    over.abort();
  }
  const reason = stop.signal.reason as string | undefined;
  if (options.signal.aborted) return { kind: 'told' };
  return stop.signal.aborted && reason !== EMPTY
    ? { kind: 'stopped', reason: String(reason) }
    : { kind: 'empty' };
}

const EMPTY = 'empty';

function hear(event: FleetEvent, { running, rates, stop }: WorkerState): void {
  if (event.type === 'task-cancel') running.get(event.id)?.abort('cancelled');
  if (event.type === 'provider-pause') rates.heardPause(event.provider, event.forMs);
  if (event.type === 'fleet-stop') stop.abort(event.reason);
}

async function followLimits(working: WorkerState, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await working.clock.sleep(LIMITS_EVERY_MS, signal);
    working.limits = await readLimits(working.engine);
  }
}

const FAILED_LOOK_MS = 1_000;

/** Runs one task after the other: a slot of the worker. */
async function lane(working: WorkerState): Promise<void> {
  const { engine, signal, clock } = working;
  while (!signal.aborted) {
    try {
      if (working.untilEmpty && working.running.size === 0 && (await engine.unfinished(1)) === 0)
        return working.stop.abort(EMPTY);
      await takeOne(working);
    } catch (error) {
      // The servers may be away for a while; what was claimed comes again.
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      sayOnce(working, `The fleet's store could not be used: ${message}. Trying again.`);
      await clock.sleep(FAILED_LOOK_MS, signal).catch(() => undefined);
    }
  }
}

const NO_ROOM_MS = 500;

async function takeOne(working: WorkerState): Promise<void> {
  const { engine, room, running, signal, clock } = working;
  const refusal = (await room?.enter(running.size)) ?? null;
  if (refusal !== null) {
    if (running.size > 0) sayOnce(working, refusal);
    return clock.sleep(NO_ROOM_MS, signal);
  }
  try {
    const claim = await engine.claim(signal);
    // A claim that was under way when the end came.
    if (claim && signal.aborted) await claim.back(0);
    else if (claim) await handle(claim, working);
  } finally {
    room?.leave();
  }
}

function sayOnce({ told, say }: WorkerState, sentence: string): void {
  if (told.has(sentence)) return;
  told.add(sentence);
  say?.(sentence);
}

const NEWER_MS = 5_000;
const BUSY_MS = 1_000;

async function handle(claim: Claim, working: WorkerState): Promise<void> {
  const { task } = claim;
  const { engine, random } = working;
  if (task.format > TASK_FORMAT) {
    sayOnce(
      working,
      `Tasks of the format ${task.format} are left to workers of a newer version; this one knows ${TASK_FORMAT}.`,
    );
    return claim.back(NEWER_MS * (0.5 + random()));
  }
  const present = recordIn(await engine.table('tasks').get(task.id));
  if (present && finalStates.includes(present.state)) return outOfQueue(claim, working);
  if (present?.state === 'parked') return claim.done();
  if (!(await takePlaces(engine, task, working.limits))) return claim.back(BUSY_MS * (0.5 + random()));
  const token = randomBytes(8).toString('hex');
  const record = await changeRecord(engine, task.id, (earlier) => begun(task, earlier, { token, working }));
  if (!record) return outOfQueue(claim, working);
  if (record.state === 'poison') {
    tellState(record, working);
    return finished(claim, working);
  }
  await runClaimed(claim, record, working);
}

async function finished(claim: Claim, { engine, limits }: WorkerState): Promise<void> {
  await leavePlaces(engine, claim.task, limits);
  await claim.done();
}

/** For a task that has ended, unless somebody tries it again in this moment. */
async function outOfQueue(claim: Claim, working: WorkerState): Promise<void> {
  let hasEnded = true;
  await changeRecord(working.engine, claim.task.id, (record) => {
    hasEnded = record !== null && finalStates.includes(record.state);
    return record?.isQueuedStill ? { ...record, isQueuedStill: undefined } : null;
  });
  return hasEnded ? finished(claim, working) : claim.back(0);
}

/** A task that is found running was left by a worker that is gone. */
function begun(
  task: Task,
  earlier: TaskRecord | null,
  { token, working }: { token: string; working: WorkerState },
): TaskRecord | null {
  const record = earlier ?? newRecord(task);
  if (finalStates.includes(record.state)) return null;
  const crashes = record.crashes + (record.state === 'running' ? 1 : 0);
  const now = working.engine.now();
  if (record.cancelAsked)
    return { ...record, state: 'cancelled', token: null, snapshot: undefined, endedAt: now };
  if (crashes > MOST_CRASHES) {
    const message = `${crashes} workers ended while they worked on it.`;
    return {
      ...record,
      state: 'poison',
      crashes,
      token: null,
      endedAt: now,
      failure: { kind: 'crash', message },
    };
  }
  return {
    ...record,
    state: 'running',
    token,
    crashes,
    attempts: record.attempts + 1,
    worker: working.name,
    startedAt: record.startedAt ?? now,
  };
}

async function runClaimed(claim: Claim, record: TaskRecord, working: WorkerState): Promise<void> {
  const { task } = claim;
  if (record.state !== 'running') return finished(claim, working);
  const token = record.token!;
  const own = new AbortController();
  working.running.set(task.id, own);
  const over = new AbortController();
  void keepAlive(claim, { token, own, over: over.signal, working }).catch(() => undefined);
  tellState(record, working);
  try {
    const end = await working.runTask(task, doingOf(record, token, { working, own }));
    over.abort();
    await settle(claim, end, { token, own, working });
  } finally {
    over.abort();
    working.running.delete(task.id);
  }
}

interface Settling {
  token: string;
  own: AbortController;
  working: WorkerState;
}

function doingOf(record: TaskRecord, token: string, { working, own }: Omit<Settling, 'token'>): TaskDoing {
  const { engine, rates } = working;
  const { id } = record.task;
  return {
    token,
    resume: record.snapshot ?? null,
    questions: record.questions ?? [],
    usage: record.usage,
    signal: AbortSignal.any([working.signal, own.signal]),
    objects: engine.objects,
    saved: (snapshot) => noteSnapshot(engine, { id, token, snapshot }),
    log: (line) => engine.publish({ type: 'task-log', id, line }),
    beforeRequest: rates.beforeRequest,
    used: (provider, tokens) => void rates.used(provider, tokens).catch(() => undefined),
    retried(provider, { kind, inMs }) {
      if (kind === 'rate-limit' || kind === 'overload')
        void rates.pause(provider, inMs).catch(() => undefined);
    },
  };
}

async function noteSnapshot(
  engine: Engine,
  { id, token, snapshot }: { id: string; token: string; snapshot: Snapshot },
): Promise<boolean> {
  const changed = await changeRecord(engine, id, (record) =>
    record?.token === token && record.snapshot?.token !== token ? { ...record, snapshot } : null,
  );
  return changed !== null;
}

/** An order that was lost on the way is found in the record; ten thousand workers that look more often ask for nothing else. */
const LOOK_AT_RECORD_MS = 5_000;

/** Renews the claim, and ends the task when it was cancelled or somebody else has it. */
async function keepAlive(
  claim: Claim,
  { token, own, over, working }: Settling & { over: AbortSignal },
): Promise<void> {
  const { engine, clock, leaseMs } = working;
  let renewedAt = performance.now();
  while (!over.aborted && !own.signal.aborted) {
    await clock.sleep(Math.min(LOOK_AT_RECORD_MS, leaseMs / 3), over);
    if (performance.now() - renewedAt >= leaseMs / 3) {
      const isOurs = await claim.renew().catch(() => true);
      if (!isOurs) return own.abort('lost');
      renewedAt = performance.now();
    }
    const record = recordIn(
      await engine
        .table('tasks')
        .get(claim.task.id)
        .catch(() => null),
    );
    if (record?.cancelAsked) own.abort('cancelled');
    else if (record && record.token !== token) own.abort('lost');
  }
}

async function settle(claim: Claim, end: TaskEnd, { token, own, working }: Settling): Promise<void> {
  const { engine } = working;
  const isCancelled = own.signal.aborted && own.signal.reason === 'cancelled';
  const delivery = { id: claim.task.id, token };
  if (own.signal.aborted && !isCancelled) return removeUnnamed(engine, delivery);
  let delayMs: number | null = null;
  const record = await changeRecord(engine, claim.task.id, (present) => {
    if (present?.token !== token) return null;
    const next = afterEnd(present, end, { isCancelled, working });
    delayMs = next.delayMs;
    return next.record;
  });
  if (!record) return removeUnnamed(engine, delivery);
  await leavePlaces(engine, claim.task, working.limits);
  tellState(record, working);
  if (delayMs === null) await claim.done();
  else await claim.back(delayMs);
}

/** The record after a delivery, and when the task is to come again; null: never by itself. */
function afterEnd(
  present: TaskRecord,
  end: TaskEnd,
  { isCancelled, working }: { isCancelled: boolean; working: WorkerState },
): { record: TaskRecord; delayMs: number | null } {
  const { worker: _worker, ...rest } = present;
  const usage = 'usage' in end ? addUsage(present.usage, end.usage) : present.usage;
  const ended = { ...rest, token: null, usage, endedAt: working.engine.now() };
  if (isCancelled) return { record: { ...ended, state: 'cancelled', snapshot: undefined }, delayMs: null };
  switch (end.kind) {
    case 'stopped':
      return { record: { ...rest, token: null, state: 'queued' }, delayMs: 0 };
    case 'parked':
      return {
        record: { ...rest, token: null, usage, state: 'parked', questions: end.questions },
        delayMs: null,
      };
    case 'done': {
      const { failure: _failure, questions: _questions, ...clean } = ended;
      return {
        record: {
          ...clean,
          worker: present.worker,
          state: 'done',
          outcome: end.outcome,
          snapshot: snapshotOf(present, end),
        },
        delayMs: null,
      };
    }
    case 'failed': {
      const failed = {
        ...ended,
        worker: present.worker,
        failure: end.failure,
        outcome: end.outcome,
        failures: present.failures + 1,
      };
      const step = stepAfter(end.failure, present.failures, working.random);
      if (step.kind === 'again') return { record: { ...failed, state: 'queued' }, delayMs: step.delayMs };
      if (step.kind === 'stop') stopFleet(end.failure.message, working);
      return { record: { ...failed, state: step.kind === 'poison' ? 'poison' : 'failed' }, delayMs: null };
    }
  }
}

/** The objects of the delivery that ended the task hold its result. */
function snapshotOf(present: TaskRecord, { outcome }: TaskEnd & { kind: 'done' }): Snapshot {
  return {
    token: present.token!,
    session: present.snapshot?.session ?? `task-${present.task.id}`,
    base: outcome.base,
  };
}

/** Stops the fleet with a clear sentence, instead of the same failure of every task. */
function stopFleet(message: string, { engine, stop }: WorkerState): void {
  const reason = `The fleet has stopped, because no task could be done: ${message}`;
  engine.publish({ type: 'fleet-stop', reason });
  stop.abort(reason);
}

function tellState({ task, title, state, worker, failure }: TaskRecord, { engine }: WorkerState): void {
  engine.publish({
    type: 'task-state',
    id: task.id,
    state,
    title,
    worker,
    message: failure?.message,
  });
}
