import {
  type ConfirmRequest,
  createClock,
  createIds,
  type Outcome,
  openState,
  stateFolderPath,
} from '@toolwright/core';
import { safe } from '../app/safe-text.js';
import type { Front } from '../ui/front.js';
import { openFront } from '../ui/open-front.js';
import { confirmAt } from './confirm.js';

/** Puts a question to the person at the terminal, for a run that is not a conversation. */
export async function askOnTerminal(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome> {
  const state = openState({
    path: stateFolderPath(process.env),
    host: { clock: createClock(), ids: createIds() },
  });
  return withTerminal((front) => confirmAt({ front, state, environment: process.env })(request, signal));
}

export async function askYesOrNo(
  { title, yes, no }: { title: string; yes: string; no: string },
  signal: AbortSignal,
): Promise<boolean> {
  const question = {
    title: safe(title),
    facts: [],
    choices: [
      { key: 'y', label: safe(yes) },
      { key: 'n', label: safe(no) },
    ],
    refusal: 'n',
  };
  return withTerminal(async (front) => (await front.ask(question, signal))?.key === 'y');
}

let last: Promise<unknown> = Promise.resolve();

/** The terminal for as long as the work lasts; whoever comes meanwhile waits. */
export function withTerminal<Result>(work: (front: Front) => Promise<Result>): Promise<Result> {
  const next = last.then(() => onTerminal(work));
  last = next.catch(() => undefined);
  return next;
}

async function onTerminal<Result>(work: (front: Front) => Promise<Result>): Promise<Result> {
  const front = openFront({ input: process.stdin, output: process.stderr, environment: process.env });
  // What was piped away is standard output: the question and the keys go another way.
  front.onPerson(({ type }) => {
    if (type === 'turn-cancelled' || type === 'quit') process.kill(process.pid, 'SIGINT');
  });
  front.onEnd(() => void process.kill(process.pid, 'SIGHUP'));
  front.start();
  try {
    return await work(front);
  } finally {
    front.close();
  }
}
