import { randomBytes } from 'node:crypto';
import { messageOf, withinDeadline } from '@toolwright/core/front-end';
import type { FleetEvent } from '../engine/engine.js';
import { isOf, statusOf } from '../schedule/control.js';
import { noLimits, readLimits } from '../schedule/limits.js';
import { openRates } from '../schedule/rates.js';
import { requeueLost, requeueNow } from '../schedule/requeue.js';
import { beginSigns } from '../schedule/workers.js';
import { createBusy } from './busy.js';
import { type Delivering, deliver } from './delivery.js';
import { watchRoom } from './room.js';
import type { WorkerOptions } from './worker-options.js';

/** Why the worker ended: it was told to, nothing is left, or the whole fleet has stopped. */
export type WorkerEnd = { kind: 'told' } | { kind: 'empty' } | { kind: 'stopped'; reason: string };

type WorkerState = WorkerOptions &
  Delivering & {
    /** By the clock of `performance`. */
    nextLook: number;
    /** No further task is taken. */
    isOver: boolean;
  };

const LIMITS_EVERY_MS = 10_000;

/** Claims tasks and runs them until the signal. */
export async function runWorker(options: WorkerOptions): Promise<WorkerEnd> {
  const stop = new AbortController();
  const working: WorkerState = {
    ...options,
    limits: noLimits,
    rates: openRates(options.engine, () => working.limits, options.clock),
    by: randomBytes(8).toString('hex'),
    foreign: new Set(),
    nextLook: 0,
    isOver: false,
    busy: createBusy(() => performance.now()),
    running: new Map(),
    stop,
    sayOnce: onceEach(options.say),
    signal: AbortSignal.any([options.signal, stop.signal]),
  };
  const over = new AbortController();
  void options.engine.listen((event) => hear(event, working), over.signal, 'orders').catch(() => undefined);
  void followLimits(working, over.signal).catch(() => undefined);
  if (options.room)
    void watchRoom(options.room, working.running, { clock: options.clock, signal: over.signal }).catch(
      () => undefined,
    );
  let signs = { ended: Promise.resolve() };
  try {
    working.limits = await readLimits(options.engine);
    signs = await beginSigns({ ...options, id: working.by }, over.signal);
    await Promise.all(Array.from({ length: options.slots }, () => lane(working)));
  } finally {
    over.abort();
    // Servers that are away hear nothing of the end.
    await withinDeadline(signs.ended, { ms: END_MS, clock: options.clock });
  }
  const reason = stop.signal.reason as string | undefined;
  if (options.signal.aborted) return { kind: 'told' };
  return stop.signal.aborted && reason !== EMPTY
    ? { kind: 'stopped', reason: String(reason) }
    : { kind: 'empty' };
}

const EMPTY = 'empty';
const END_MS = 2_000;

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
  const { clock } = working;
  // A signal of its own: there may be hundreds of slots, and each listens while it waits.
  const signal = AbortSignal.any([working.signal]);
  while (!signal.aborted && !working.isOver) {
    try {
      if (working.untilEmpty && (await isNothingLeft(working))) return working.stop.abort(EMPTY);
      await takeOne(working, signal);
    } catch (error) {
      // The servers may be away for a while; what was claimed comes again.
      if (signal.aborted) return;
      const message = messageOf(error);
      working.sayOnce(`The fleet's store could not be used: ${message}. Trying again.`);
      await clock.sleep(FAILED_LOOK_MS, signal).catch(() => undefined);
    }
  }
}

const MOST_FOREIGN = 200;

/** True where all that is left needs a newer program, and no task was left on its way into the queue. */
async function isNothingLeft({ engine, foreign, running }: WorkerState): Promise<boolean> {
  if (running.size > 0 || foreign.size > MOST_FOREIGN) return false;
  if ((await engine.unfinished(foreign.size + 1)) > foreign.size) return false;
  for (const id of foreign) {
    if (await engine.peek(id)) continue;
    // Another worker has done this task: what is left may be for this program.
    foreign.delete(id);
    return false;
  }
  await requeueLost(engine);
  // Another worker may have put a task into the queue meanwhile.
  return (await engine.unfinished(foreign.size + 1)) <= foreign.size;
}

const LOOK_AT_OWN_MS = 1_000;

/** The tasks of others in the same queue keep nobody from the end of its own. A look reads every record. */
async function areOwnOver(working: WorkerState): Promise<boolean> {
  const { engine, own } = working;
  if (!own || performance.now() < working.nextLook) return false;
  const began = performance.now();
  const { states } = await statusOf(engine, own);
  working.nextLook = performance.now() + Math.max(LOOK_AT_OWN_MS, (performance.now() - began) * 10);
  return states.queued + states.running === 0;
}

const NO_ROOM_MS = 500;

async function takeOne(working: WorkerState, signal: AbortSignal): Promise<void> {
  const { engine, room, running, clock } = working;
  const refusal = (await room?.enter(running.size)) ?? null;
  if (refusal !== null) {
    if (running.size > 0) working.sayOnce(refusal);
    return clock.sleep(NO_ROOM_MS, signal);
  }
  try {
    const claim = await engine.claim(signal);
    // A claim that was under way when the end came.
    if (claim && signal.aborted) return await claim.back(0);
    const isForeign = working.own !== undefined && !(claim && isOf(working.own, claim.task.id));
    if (isForeign && (await areOwnOver(working))) {
      await claim?.back(0);
      working.isOver = true;
    } else if (claim) await deliver(claim, working);
    else await requeueNow(engine);
  } finally {
    room?.leave();
  }
}

/** Says each sentence the first time only. */
function onceEach(say: WorkerOptions['say']): (sentence: string) => void {
  const told = new Set<string>();
  return (sentence) => {
    if (told.has(sentence)) return;
    told.add(sentence);
    say?.(sentence);
  };
}
