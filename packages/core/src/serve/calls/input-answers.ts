import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { CallerAnswers, CallerMethod } from '../../tools/caller/caller.js';
import type { CallState } from './call-under-way.js';

const isAnswerTo: Record<CallerMethod, (answer: Record<string, unknown>) => boolean> = {
  'elicitation/create': ({ action }) => action === 'accept' || action === 'decline' || action === 'cancel',
  'sampling/createMessage': ({ role, content }) =>
    role === 'assistant' && (isJsonObject(content) || Array.isArray(content)),
  'roots/list': ({ roots }) => Array.isArray(roots),
};

/** The answers among `responses` that fit what is asked; others are left out, so that they are asked for again. */
export function answersIn(responses: unknown, state: CallState): CallerAnswers {
  if (state.kind !== 'asking' || !isJsonObject(responses)) return {};
  const fitting = Object.entries(state.requests).flatMap(([name, { method }]) => {
    const answer = responses[name];
    return isJsonObject(answer) && isAnswerTo[method](answer) ? [[name, answer] as const] : [];
  });
  return Object.fromEntries(fitting);
}
