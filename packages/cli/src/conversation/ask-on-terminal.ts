import {
  type ConfirmRequest,
  createClock,
  createIds,
  type Outcome,
  openState,
  stateFolderPath,
} from '@toolwright/core';
import { openFront } from '../ui/open-front.js';
import { confirmAt } from './confirm.js';

/** Puts a question to the person at the terminal, for a run that is not a conversation. */
export async function askOnTerminal(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome> {
  const front = openFront({ input: process.stdin, output: process.stderr, environment: process.env });
  // What was piped away is standard output: the question and the keys go another way.
  front.onPerson(({ type }) => {
    if (type === 'turn-cancelled' || type === 'quit') process.kill(process.pid, 'SIGINT');
  });
  front.onEnd(() => void process.kill(process.pid, 'SIGHUP'));
  front.start();
  try {
    const state = openState({
      path: stateFolderPath(process.env),
      host: { clock: createClock(), ids: createIds() },
    });
    return await confirmAt({ front, state, environment: process.env })(request, signal);
  } finally {
    front.close();
  }
}
