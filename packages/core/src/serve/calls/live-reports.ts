import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import { clipBytesFromEnd } from '@toolwright/machine/base/truncate.js';
import type { Clock } from '@toolwright/machine/host/host.js';

export interface Progress {
  progress: number;
  message: string;
}

/** The client that waits for a call. A member is set where the client asked for that kind of news. */
export interface Hearer {
  progress?(progress: Progress): void;
  /** A line of output as a log message. */
  log?(text: string): void;
}

export interface LiveReports {
  /** Live output of the call. */
  output(delta: string): void;
  end(): void;
}

const LONGEST_BYTES = 2_000;
const SILENCE_MS = 10_000;

/** Tells a client that a call is alive: with its output as it comes, and now and then without any. */
export function reportLive(clock: Clock, hearer: () => Hearer): LiveReports {
  const ended = new AbortController();
  let steps = 0;
  let lastAt = clock.now();
  const tell = (message: string): void => {
    steps += 1;
    lastAt = clock.now();
    hearer().progress?.({ progress: steps, message });
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(SILENCE_MS, ended.signal);
      if (clock.now() - lastAt >= SILENCE_MS) tell('still at work');
    }
  };
  watch().catch(() => undefined);
  return {
    output(delta) {
      if (ended.signal.aborted) return;
      const text = clipBytesFromEnd(terminalSafe(delta).replace(/^\n+/, '').trimEnd(), LONGEST_BYTES);
      tell(text);
      hearer().log?.(text);
    },
    end: () => ended.abort(),
  };
}
