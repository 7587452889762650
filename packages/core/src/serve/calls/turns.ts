import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { oneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import { unlessAborted } from '@toolwright/machine/host/deadline.js';
import type { RawCall } from '../../model/model.js';
import { conflict } from '../../scheduler/conflict.js';
import { prepareCall } from '../../scheduler/prepare-call.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';

/** Runs calls that get into each other's way in the order in which they came; clients send them one by one. */
export type Turns = <Result>(
  call: RawCall,
  from: { client: object; signal: AbortSignal },
  work: (turn: TurnOfCall) => Promise<Result>,
) => Promise<Result>;

export interface TurnOfCall {
  /** Lets others go first while this call waits for its user, then queues again. */
  aside<Result>(wait: () => Promise<Result>): Promise<Result>;
}

interface WaitingCall {
  client: object;
  effects: Effect[] | undefined;
}

interface TakenTurn extends WaitingCall {
  /** Resolves at the end; never rejects. */
  done: Promise<unknown>;
}

export function createTurns(registry: ToolRegistry): Turns {
  const taken = new Set<TakenTurn>();
  const enter = oneAtATime();

  /** Waits for all calls before this one that it conflicts with. Gives the function that ends the turn. */
  async function take(describeCall: () => Promise<WaitingCall>, signal: AbortSignal) {
    const { end, blockers } = await enter(async () => {
      const call = await describeCall();
      const others = [...taken].filter((other) => mustWait(call, other));
      let end: () => void = () => undefined;
      const done = new Promise<void>((resolve) => {
        end = resolve;
      });
      const mine: TakenTurn = { ...call, done };
      taken.add(mine);
      void done.then(() => taken.delete(mine));
      return { end, blockers: others.map((other) => other.done) };
    });
    // A call that is cancelled meanwhile goes on to its work, which then ends at once.
    await unlessAborted(Promise.all(blockers), signal).catch(() => undefined);
    return end;
  }

  return async (call, { client, signal }, work) => {
    const describeCall = async () => ({ client, effects: await effectsOf(call, registry) });
    let end = await take(describeCall, signal);
    const aside: TurnOfCall['aside'] = async (wait) => {
      end();
      try {
        return await wait();
      } finally {
        end = await take(describeCall, signal);
      }
    };
    try {
      return await work({ aside });
    } finally {
      end();
    }
  };
}

/**
 * The calls of one client see what those before them did. Another client expects no such order: it is held up by what
 * might change the same things, never because one of the two only reads.
 */
function mustWait(call: WaitingCall, earlier: WaitingCall): boolean {
  if (call.client !== earlier.client && (onlyReads(call) || onlyReads(earlier))) return false;
  return conflict(earlier.effects, call.effects);
}

function onlyReads({ effects }: WaitingCall): boolean {
  return effects?.every(changesNothing) ?? false;
}

function changesNothing(effect: Effect): boolean {
  return effect.kind === 'execute' ? effect.readOnly : effect.kind === 'read' || effect.kind === 'network';
}

/** The effects of a call; none when it will be refused anyway, so that it gets into nobody's way. */
async function effectsOf(call: RawCall, registry: ToolRegistry): Promise<Effect[] | undefined> {
  try {
    return (await prepareCall(call, { registry })).effects;
  } catch (error) {
    return isToolError(error) ? [] : undefined;
  }
}
