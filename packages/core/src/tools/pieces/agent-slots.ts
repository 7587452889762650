import { availableParallelism } from 'node:os';
import { onAbort } from '@toolwright/machine/host/deadline.js';

/** Agents wait for the model most of the time, but each may run programs. */
export const MOST_AT_ONCE = Math.max(2, Math.min(6, availableParallelism()));
let running = 0;
const waiting = new Set<() => void>();

/** The place of an agent among those that work at once. */
export interface AgentSlot {
  /** Runs the work of another agent, which its holder waits for: the holder's place is free meanwhile. */
  lend<Result>(signal: AbortSignal, work: (slot: AgentSlot) => Promise<Result>): Promise<Result>;
}

/** Runs the work of an agent once the machine has room for it. A wait that is cancelled holds up nobody. */
export async function inAgentSlot<Result>(
  signal: AbortSignal,
  work: (slot: AgentSlot) => Promise<Result>,
): Promise<Result> {
  await take(signal);
  const { slot, end } = takenSlot();
  try {
    return await work(slot);
  } finally {
    end();
  }
}

/** A slot that its holder has; several agents of the holder may work at once, and all of them are waited for. */
function takenSlot(): { slot: AgentSlot; end(): void } {
  let isHeld = true;
  let lent = 0;
  const free = (): void => {
    if (isHeld) giveBack();
    isHeld = false;
  };
  const takeAgain = async (signal: AbortSignal): Promise<void> => {
    if (lent > 0 || isHeld) return;
    // A holder that is cancelled only ends.
    await take(signal).then(
      () => {
        // Another of its agents began meanwhile, or had it taken already.
        if (lent > 0 || isHeld) giveBack();
        else isHeld = true;
      },
      () => undefined,
    );
  };
  const slot: AgentSlot = {
    async lend(signal, work) {
      lent += 1;
      free();
      try {
        return await inAgentSlot(signal, work);
      } finally {
        lent -= 1;
        await takeAgain(signal);
      }
    },
  };
  return { slot, end: free };
}

async function take(signal: AbortSignal): Promise<void> {
  while (running >= MOST_AT_ONCE) {
    signal.throwIfAborted();
    await nextFree(signal);
  }
  // Woken for a free slot, and cancelled in the same moment.
  if (signal.aborted) wakeNext();
  signal.throwIfAborted();
  running += 1;
}

function giveBack(): void {
  running -= 1;
  wakeNext();
}

function wakeNext(): void {
  const [next] = waiting;
  next?.();
}

function nextFree(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    onAbort(signal, wake);
  });
}
