import { randomBytes } from 'node:crypto';
import type { Claim, Engine } from '../engine/engine.js';
import { type FleetLimits, leavePlaces, takePlaces } from '../schedule/limits.js';
import type { Rates } from '../schedule/rates.js';
import {
  addUsage,
  changeRecord,
  finalStates,
  isStale,
  keepQuestions,
  NewerRecord,
  recordIn,
  removeUnnamed,
  type Snapshot,
  type TaskRecord,
  type TaskUsage,
} from '../schedule/record.js';
import { TASK_FORMAT, type Task } from '../tasks/task.js';
import type { Busy } from './busy.js';
import type { TaskDoing, TaskEnd } from './run-task.js';
import { afterBeginning, afterEnd } from './task-states.js';
import type { WorkerOptions } from './worker-options.js';

/** The part of a worker that its deliveries share. */
export interface Delivering
  extends Pick<WorkerOptions, 'engine' | 'name' | 'leaseMs' | 'clock' | 'random' | 'runTask'> {
  /** The key of this worker's signs of life. */
  by: string;
  rates: Rates;
  limits: FleetLimits;
  /** Tasks that only newer workers can do. */
  foreign: Set<string>;
  busy: Busy;
  /** Ends a running task, by its id. */
  running: Map<string, AbortController>;
  /** Ends the worker, with the reason. */
  stop: AbortController;
  signal: AbortSignal;
  sayOnce(sentence: string): void;
}

const NEWER_MS = 5_000;

/** Runs a claimed task to the end of its delivery, or gives it back. */
export async function deliver(claim: Claim, working: Delivering): Promise<void> {
  const { engine, busy, random } = working;
  if (!isKnown(claim))
    return leaveToNewer(
      claim,
      `Tasks of the format ${claim.task.format} are left to workers of a newer version; this one knows ${TASK_FORMAT}.`,
      working,
    );
  const { task } = claim;
  const present = await presentOf(claim, working);
  if (present === 'newer')
    return leaveToNewer(claim, 'Tasks that a newer version has begun are left to it.', working);
  working.foreign.delete(task.id);
  busy.free(task.id);
  if (present && isStale(task, present)) return claim.done();
  if (present && finalStates.includes(present.state)) return outOfQueue(claim, working);
  if (present?.state === 'parked') return claim.done();
  if (!(await takePlaces(engine, task, working.limits)))
    return claim.back(busy.delayOf(task.id) * (0.5 + random()));
  const token = randomBytes(8).toString('hex');
  const record = await changeRecord(engine, task.id, (earlier) =>
    afterBeginning(task, earlier, { token, worker: working.name, by: working.by, now: engine.now() }),
  );
  if (!record) return outOfQueue(claim, working);
  if (record.state === 'poison') {
    tellState(record, working);
    return finished(claim, working);
  }
  await runClaimed(claim, record, working);
}

function isKnown(claim: Claim): claim is Claim<Task> {
  return claim.task.format <= TASK_FORMAT;
}

/** The record of the task; `newer` for one that this program can't read. */
async function presentOf(claim: Claim, { engine }: Delivering): Promise<TaskRecord | null | 'newer'> {
  try {
    return recordIn(await engine.table('tasks').get(claim.task.id));
  } catch (error) {
    if (error instanceof NewerRecord) return 'newer';
    throw error;
  }
}

function leaveToNewer(
  claim: Claim,
  sentence: string,
  { foreign, random, sayOnce }: Delivering,
): Promise<void> {
  foreign.add(claim.task.id);
  sayOnce(sentence);
  return claim.back(NEWER_MS * (0.5 + random()));
}

async function finished(claim: Claim<Task>, { engine, limits }: Delivering): Promise<void> {
  await leavePlaces(engine, claim.task, limits);
  await claim.done();
}

/** Takes a task that has ended out of the queue; one that somebody tries again in this moment goes back. */
async function outOfQueue(claim: Claim<Task>, working: Delivering): Promise<void> {
  let hasEnded = true;
  await changeRecord(working.engine, claim.task.id, (record) => {
    hasEnded = record !== null && finalStates.includes(record.state);
    return record?.isQueuedStill ? { ...record, isQueuedStill: undefined } : null;
  });
  return hasEnded ? finished(claim, working) : claim.back(0);
}

async function runClaimed(claim: Claim<Task>, record: TaskRecord, working: Delivering): Promise<void> {
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
    await settle(claim, end, { token, own, working, used: record.usage });
  } finally {
    over.abort();
    working.running.delete(task.id);
  }
}

interface Settling {
  token: string;
  own: AbortController;
  working: Delivering;
}

/** `used`: by the deliveries before this one. */
type Ended = Settling & { used: TaskUsage };

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
    saved: (snapshot, usage) =>
      noteSnapshot(engine, { id, token, snapshot, usage: addUsage(record.usage, usage) }),
    log: (line) => engine.publish({ type: 'task-log', id, line }),
    beforeRequest: rates.beforeRequest,
    tokens: (provider, used) => void rates.used(provider, used).catch(() => undefined),
    retried(provider, { kind, inMs }) {
      if (kind === 'rate-limit' || kind === 'overload')
        void rates.pause(provider, inMs).catch(() => undefined);
    },
  };
}

async function noteSnapshot(
  engine: Engine,
  { id, token, snapshot, usage }: { id: string; token: string; snapshot: Snapshot; usage: TaskUsage },
): Promise<boolean> {
  const changed = await changeRecord(engine, id, (record) =>
    record?.token === token ? { ...record, snapshot, usage } : null,
  );
  return changed !== null;
}

/** The pause between looks at the record, which has the orders that were lost on the way. Thousands of workers look, so it is long. */
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

async function settle(claim: Claim<Task>, end: TaskEnd, { token, own, working, used }: Ended): Promise<void> {
  const { engine, rates } = working;
  const isCancelled = own.signal.aborted && own.signal.reason === 'cancelled';
  const { id } = claim.task;
  const questions = end.kind === 'parked' ? end.questions : [];
  const delivery = { id, token, questions };
  const { provider, retryAfterMs } = end.kind === 'failed' ? end.failure : {};
  // One that is tried again by this task alone would go on being asked by the others.
  if (provider !== undefined && retryAfterMs !== undefined)
    await rates.pause(provider, retryAfterMs).catch(() => undefined);
  if (own.signal.aborted && !isCancelled) return removeUnnamed(engine, delivery);
  await keepQuestions(engine, id, questions);
  let next: ReturnType<typeof afterEnd> | null = null;
  const record = await changeRecord(engine, id, (present) => {
    if (present?.token !== token) return null;
    next = afterEnd(present, end, { isCancelled, used, now: engine.now(), random: working.random });
    return next.record;
  });
  if (!record || !next) return removeUnnamed(engine, delivery);
  const { delayMs, stopsFleet } = next as ReturnType<typeof afterEnd>;
  if (stopsFleet) stopFleet(record.failure?.message ?? '', working);
  await leavePlaces(engine, claim.task, working.limits);
  tellState(record, working);
  if (delayMs === null) await claim.done();
  else await claim.back(delayMs);
}

/** Stops the fleet with a clear sentence, instead of the same failure of every task. */
function stopFleet(message: string, { engine, stop }: Delivering): void {
  const reason = `The fleet has stopped because no task could be done: ${message}`;
  engine.publish({ type: 'fleet-stop', reason });
  stop.abort(reason);
}

function tellState({ task, title, state, worker, failure }: TaskRecord, { engine }: Delivering): void {
  engine.publish({
    type: 'task-state',
    id: task.id,
    state,
    title,
    workspace: task.workspace,
    worker,
    message: failure?.message,
  });
}
