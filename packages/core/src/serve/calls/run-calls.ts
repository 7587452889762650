import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AbortReason } from '@toolwright/machine/base/errors.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { OneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { RawCall } from '../../model/model.js';
import type { SettledCall } from '../../scheduler/call.js';
import type { Scheduler } from '../../scheduler/scheduler.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import type { Start } from './call-under-way.js';
import { callerFor, confirmThrough, MissingCapability } from './client.js';
import { failedResult, toCallResult } from './content-blocks.js';
import { reportLive } from './live-reports.js';
import { type ElicitationOptions, withEachText } from './question.js';
import { createTurns } from './turns.js';

/** The tools of one toolbox, and what is needed to call them for clients. */
export interface ServedCallNeeds extends ElicitationOptions {
  registry: ToolRegistry;
  scheduler: Scheduler;
  clock: Clock;
  /** Hears of every call that has ended. */
  onSettled?(call: Pick<SettledCall, 'changeSet'>): void;
}

export interface CallingClient {
  /** The same object for calls that keep their order, those of one connection; another one for each task and where there are no connections. */
  client: object;
  capabilities: JsonObject;
  /** Questions to the user behind it. */
  oneQuestion: OneAtATime;
}

/** Runs calls of any number of clients; those whose effects conflict wait for each other. */
export interface RunCalls {
  starting(call: RawCall, client: CallingClient): Start;
  /** Stops the calls that are under way, and waits for them. */
  close(): Promise<void>;
}

const MOST_CALLS = 64;
const CLOSE_LIMIT_MS = 10_000;

export function createRunCalls(needs: ServedCallNeeds): RunCalls {
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  const turns = createTurns(needs.registry);
  return {
    starting: (call, calling) => async (given) => {
      if (running.size >= MOST_CALLS)
        return failedResult(
          `${MOST_CALLS} calls are under way, so this one was not run. Send it again when one of them has ended.`,
        );
      const signal = AbortSignal.any([given.signal, ending.signal]);
      const ended = turns(call, { client: calling.client, signal }, (turn) => {
        const ask: typeof given.ask = (requests, until) =>
          turn.aside(() => given.ask(withEachText(requests, needs.clean), until));
        return runCall(call, needs, { ...calling, ...given, ask, signal });
      });
      running.add(ended);
      void ended.catch(() => undefined).then(() => running.delete(ended));
      return ended;
    },
    async close() {
      ending.abort({ kind: 'shutdown' } satisfies AbortReason);
      await withinDeadline(Promise.allSettled(running), { ms: CLOSE_LIMIT_MS, clock: needs.clock });
    },
  };
}

async function runCall(
  call: RawCall,
  needs: ServedCallNeeds,
  { capabilities, oneQuestion, ask, signal, hearer }: CallingClient & Parameters<Start>[0],
): Promise<CallToolResult> {
  const { scheduler, clock, clean, onSettled } = needs;
  const reports = reportLive(clock, hearer);
  const caller = callerFor(capabilities, ask);
  let missing: MissingCapability | null = null;
  try {
    const [settled] = await scheduler.run([call], signal, {
      confirm: confirmThrough(caller, needs),
      oneQuestion,
      caller: {
        ...caller,
        ask: (requests, until) =>
          caller.ask(requests, until).catch((error: unknown) => {
            if (error instanceof MissingCapability) missing = error;
            throw error;
          }),
      },
      emit(event) {
        if (event.type === 'call-update') reports.output(clean(event.delta));
      },
    });
    if (settled) onSettled?.(settled);
    if (missing && settled?.error) throw missing;
    return settled ? toCallResult(settled, clean) : failedResult('The call was not answered.');
  } finally {
    reports.end();
  }
}
