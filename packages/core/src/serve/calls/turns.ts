import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import type { RawCall } from '../../model/model.js';
import { oneAtATime } from '../../scheduler/call.js';
import { prepareCall } from '../../scheduler/prepare-call.js';
import { conflict } from '../../scheduler/scheduler.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';

/** Runs calls that get into each other's way in the order in which they came; clients send them one by one. */
export type Turns = <Result>(
  call: RawCall,
  signal: AbortSignal,
  work: (turn: TurnOfCall) => Promise<Result>,
) => Promise<Result>;

export interface TurnOfCall {
  /** Lets others go first while this call waits for its user, then queues again. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
}

interface Taken {
  effects: Effect[] | undefined;
  /** Never rejects. */
  done: Promise<unknown>;
}

export function createTurns(registry: ToolRegistry): Turns {
  const taken = new Set<Taken>();
  const enter = oneAtATime();

  /** Waits for all calls before this one that it conflicts with. Gives the function that ends the turn. */
  async function take(effectsOf: () => Promise<Effect[] | undefined>, signal: AbortSignal) {
    const { end, blockers } = await enter(async () => {
      const effects = await effectsOf();
      const others = [...taken].filter((other) => conflict(other.effects, effects));
      let end: () => void = () => undefined;
      const done = new Promise<void>((resolve) => {
        end = resolve;
      });
      const mine: Taken = { effects, done };
      taken.add(mine);
      void done.then(() => taken.delete(mine));
      return { end, blockers: others.map((other) => other.done) };
    });
    await orAborted(Promise.all(blockers), signal);
    return end;
  }

  return async (call, signal, work) => {
    const effects = () => effectsOf(call, registry);
    let end = await take(effects, signal);
    const aside: TurnOfCall['aside'] = async (wait) => {
      end();
      try {
        return await wait();
      } finally {
        end = await take(effects, signal);
      }
    };
    try {
      return await work({ aside });
    } finally {
      end();
    }
  };
}

/** The effects of a call; none when it will be refused anyway, so that it gets into nobody's way. */
async function effectsOf(call: RawCall, registry: ToolRegistry): Promise<Effect[] | undefined> {
  try {
    return (await prepareCall(call, { registry })).effects;
  } catch (error) {
    return isToolError(error) ? [] : undefined;
  }
}

function orAborted(done: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void done.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
