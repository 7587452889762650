import { sep } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { RawCall } from '../model/model.js';
import type { Asker } from '../tools/tools.js';
import { type ApprovalOptions, oneAtATime } from './approve-call.js';
import type { SchedulerOptions, SettledCall } from './call.js';
import { distrusted, prepareCall } from './prepare-call.js';
import type { RepeatedCalls } from './repeated-calls.js';
import { type CallInBatch, settleCall } from './settle-call.js';

export interface Scheduler {
  /** One answer per call, in call order. Rejects only when the journal can't be written, or once it is closed. */
  run(calls: readonly RawCall[], signal: AbortSignal, batch?: BatchOptions): Promise<SettledCall[]>;
  /** Throws once it is closed. */
  requireOpen(): void;
  /** Every later call is refused. */
  close(): void;
}

export interface BatchOptions {
  /** Asker of the calls; default: the model. The user's own calls need no question, and their commands run with the user's rights. */
  by?: Asker;
  /** Asks the user of this batch, where several work with the same tools. */
  confirm?: SchedulerOptions['confirm'];
  /** Also hears the events of this batch. */
  emit?: SchedulerOptions['emit'];
  /** Counts calls over all batches of a prompt and adds a note to those that lead nowhere. */
  repeatedCalls?: RepeatedCalls;
}

const PARALLEL = 8;

/** One batch of calls: those whose effects do not conflict run side by side, the others in order. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const oneQuestion = oneAtATime();
  let closed = false;
  const requireOpen = (): void => {
    if (closed) throw new Error('close() was called: nothing more can be run here. Create another one.');
  };
  return {
    requireOpen,
    close() {
      closed = true;
    },
    async run(calls, signal, batchOptions = {}) {
      requireOpen();
      const own = forBatch({ ...options, oneQuestion }, batchOptions);
      const batch: CallInBatch[] = [];
      for (const raw of calls) batch.push(await enter(raw, { by: batchOptions.by, signal }, options));
      const limited = limiter(options.limits?.parallel ?? PARALLEL);
      const settled: Promise<SettledCall>[] = [];
      batch.forEach((call, index) => {
        const blockers = settled.filter((_, earlier) => mustWait(batch[earlier]!, call));
        settled[index] = Promise.allSettled(blockers).then(() =>
          limited(() => settleCall(call, own, signal)),
        );
      });
      return Promise.all(settled);
    },
  };
}

/** The options for one batch. Its `emit` never throws: a broken listener is no reason to lose a call. */
function forBatch(
  options: SchedulerOptions & Pick<ApprovalOptions, 'oneQuestion'>,
  { confirm, emit, repeatedCalls }: BatchOptions,
): ApprovalOptions {
  return {
    ...options,
    confirm: confirm ?? options.confirm,
    repeatedCalls,
    emit(event) {
      options.log.debug(event.type, event);
      for (const listener of [options.emit, emit]) {
        try {
          listener?.(event);
        } catch (error) {
          options.log.error(`a listener failed on ${event.type}`, error);
        }
      }
    },
  };
}

async function enter(
  raw: RawCall,
  asked: { by: Asker | undefined; signal: AbortSignal },
  { registry, ids, falseClaims }: SchedulerOptions,
): Promise<CallInBatch> {
  const callId = ids.next();
  try {
    const prepared = await prepareCall(raw, registry, asked);
    const { tool, origin } = registry.require(raw.name);
    const falseClaim = await falseClaims?.of(tool.name, origin);
    return { callId, raw, prepared: distrusted(prepared, falseClaim), refusal: null };
  } catch (refusal) {
    return { callId, raw, prepared: null, refusal };
  }
}

function mustWait(earlier: CallInBatch, later: CallInBatch): boolean {
  if (!earlier.prepared || !later.prepared) return false;
  return conflict(earlier.prepared.effects, later.prepared.effects);
}

function limiter(slots: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = slots;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** True when two calls must not run side by side. Unknown effects conflict with everything. */
export function conflict(left: readonly Effect[] | undefined, right: readonly Effect[] | undefined): boolean {
  if (left === undefined || right === undefined) return true;
  return left.some((one) => right.some((other) => effectsConflict(one, other)));
}

function effectsConflict(one: Effect, other: Effect): boolean {
  if (isExclusive(one) || isExclusive(other)) return true;
  const [onePath, otherPath] = [pathOf(one), pathOf(other)];
  const changes = isChange(one) || isChange(other);
  // A read-only command may read anything, so it waits for writers.
  if (one.kind === 'execute' || other.kind === 'execute') return changes;
  if (onePath === null || otherPath === null) return false;
  return changes && overlap(onePath, otherPath);
}

/** True for effects that can't be foreseen: any command not proven read-only, any foreign tool. */
function isExclusive(effect: Effect): boolean {
  return effect.kind === 'mcp' || (effect.kind === 'execute' && !effect.readOnly && !effect.background);
}

function isChange(effect: Effect): boolean {
  return effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory';
}

function pathOf(effect: Effect): string | null {
  return 'path' in effect ? effect.path : null;
}

function overlap(left: string, right: string): boolean {
  return left === right || left.startsWith(withSlash(right)) || right.startsWith(withSlash(left));
}

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : `${path}${sep}`;
}
