import { availableParallelism } from 'node:os';

/** Agents wait for the model most of the time, but each may run programs. */
const MOST_AT_ONCE = Math.max(2, Math.min(6, availableParallelism()));
let running = 0;
const waiting = new Set<() => void>();

/** Runs the work of an agent once the machine has room for it. A wait that is cancelled holds up nobody. */
export async function inAgentSlot<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  while (running >= MOST_AT_ONCE) {
    signal.throwIfAborted();
    await nextFree(signal);
  }
  signal.throwIfAborted();
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    const [next] = waiting;
    next?.();
  }
}

function nextFree(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
