import type { Clock } from '@toolwright/machine/host/host.js';

const WINDOW_MS = 10_000;
const MOST_MESSAGES = 10_000;

export const FLOODED =
  'it flooded its output: more messages in ten seconds than any server has reason to send';

export interface FloodGate {
  /** False once more came in ten seconds than any server has reason to send. */
  admit(messages?: number): boolean;
}

/** Reading and dropping would still cost us all our time; a server that floods is cut off. */
export function createFloodGate(clock: Clock, most = MOST_MESSAGES): FloodGate {
  let since = clock.now();
  let count = 0;
  return {
    admit(messages = 1) {
      count += messages;
      if (count <= most) return true;
      if (clock.now() - since <= WINDOW_MS) return false;
      since = clock.now();
      count = messages;
      return true;
    },
  };
}
