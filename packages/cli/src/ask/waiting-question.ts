import type { ConfirmRequest } from '@toolwright/core';
import { approvalQuestion } from '../app/approval.js';
import type { Ask } from '../app/question.js';
import { safe, safeLine } from '../app/safe-text.js';

interface WaitingCall {
  /** The task that asks, and its place. */
  task: string;
  request: ConfirmRequest;
}

interface AskWaitingOptions {
  /** `2 of 5` */
  place: string;
  ask: Ask;
  signal: AbortSignal;
}

const LATER = 'l';

/** Asks about a call of a run that has ended; null: the user wants no more questions. */
export async function askWaiting(
  { task, request }: WaitingCall,
  { place, ask, signal }: AskWaitingOptions,
): Promise<{ agrees: boolean; reason?: string } | 'later' | null> {
  const question = approvalQuestion({ ...request, queue: undefined });
  const reply = await ask(
    {
      ...question,
      facts: [safeLine(`Question ${place}, ${task}`), safeLine(`${request.reason}.`), ...question.facts],
      choices: [
        { key: 'y', label: safe('yes'), agrees: true },
        { key: 'n', label: safe('no'), asksFor: safe('No, because') },
        { key: LATER, label: safe('later') },
      ],
      always: [],
      refusal: LATER,
    },
    signal,
  );
  if (reply === null) return null;
  if (reply.key === 'y') return { agrees: true };
  if (reply.key !== 'n') return 'later';
  return reply.text.trim() === '' ? { agrees: false } : { agrees: false, reason: reply.text.trim() };
}
