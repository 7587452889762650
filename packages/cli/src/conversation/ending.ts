import { exitCodes } from '../base/exit-codes.js';
import type { Front } from '../ui/front.js';

/** The ways a conversation can end, as one. */
export interface Ending {
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
  readonly code: number;
  /** Printed once the terminal is restored. */
  farewell: string;
  end(code: number): void;
  /** Listens to signals no longer. */
  close(): void;
}

export function endingOf(front: Front): Ending {
  const controller = new AbortController();
  let code: number = exitCodes.done;
  const end = (reason: number): void => {
    if (controller.signal.aborted) return;
    code = reason;
    controller.abort();
  };
  const stop = (): void => end(exitCodes.cancelled);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, stop);
  front.onEnd(stop);
  return {
    signal: controller.signal,
    ended: new Promise((resolve) =>
      controller.signal.addEventListener('abort', () => resolve(), { once: true }),
    ),
    get code() {
      return code;
    },
    farewell: '',
    end,
    close() {
      for (const name of signals) process.off(name, stop);
    },
  };
}

/** Ctrl+Z: the terminal is given back, and taken again when the job is continued. */
export async function suspend(front: Front): Promise<void> {
  await front.lend(async () => {
    // To the whole group, as the terminal itself would.
    process.kill(0, 'SIGTSTP');
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
}
