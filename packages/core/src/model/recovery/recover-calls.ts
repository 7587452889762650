import { type Part, textOf } from '@toolwright/machine/base/content.js';
import type { ModelEvent, RawCall } from '../model.js';
import type { AnswerContext } from '../wire/answer.js';
import { callOpenings, findTextCalls } from './text-calls.js';

export interface CallRecovery {
  push(event: ModelEvent): ModelEvent[];
}

/**
 * Lets an answer through, and where no structured call came looks for calls written as text. From the first
 * sign of one the text is held back, so that nobody is shown the raw form of a call.
 */
export function createCallRecovery(names: ReadonlySet<string>, context: AnswerContext): CallRecovery {
  let held = '';
  let structured = false;

  const release = (): ModelEvent[] => {
    const text = held;
    held = '';
    return text === '' ? [] : [{ type: 'text-delta', text }];
  };

  const pushText = (delta: string): ModelEvent[] => {
    if (structured) return [{ type: 'text-delta', text: delta }];
    held += delta;
    const keep = openingIn(held);
    const text = held.slice(0, keep);
    held = held.slice(keep);
    return text === '' ? [] : [{ type: 'text-delta', text }];
  };

  const finish = (event: Extract<ModelEvent, { type: 'finish' }>): ModelEvent[] => {
    const recovered = structured ? null : recover(event, names, context);
    if (!recovered) return [...release(), event];
    held = '';
    const calls: ModelEvent[] = recovered.calls.map((call) => ({ type: 'call', call }));
    const notice = 'The model wrote its call as text; it was read as a call.';
    return [...calls, { type: 'notice', message: notice }, recovered.finish];
  };

  return {
    push: (event) => {
      if (event.type === 'text-delta') return pushText(event.text);
      if (event.type === 'finish') return finish(event);
      if (event.type !== 'call') return [event];
      structured = true;
      return [...release(), event];
    },
  };
}

/** Each opening begins with one of these; most pieces of a text have none. */
const firstLetters = /[<[]/g;
const LONGEST_OPENING = Math.max(...callOpenings.map(({ length }) => length));

/** Index at which a call may begin, or at which the text may end within the first word of one. */
function openingIn(text: string): number {
  for (const { index } of text.matchAll(firstLetters)) {
    const tail = text.slice(index, index + LONGEST_OPENING);
    if (callOpenings.some((opening) => tail.startsWith(opening) || opening.startsWith(tail))) return index;
  }
  return text.length;
}

function recover(
  event: Extract<ModelEvent, { type: 'finish' }>,
  names: ReadonlySet<string>,
  context: AnswerContext,
): { calls: RawCall[]; finish: ModelEvent } | null {
  const isText = (part: Part) => part.text !== undefined && !part.thought;
  const found = findTextCalls(textOf(event.parts.filter(isText)), names);
  if (found.calls.length === 0) return null;
  const calls = found.calls.map((wire): RawCall => ({ id: context.newCallId(), ...context.restore(wire) }));
  const parts: Part[] = [
    ...event.parts.filter((part) => !isText(part)),
    ...(found.text === '' ? [] : [{ text: found.text }]),
    ...calls.map(({ id, name, arguments: args }) => ({
      functionCall: { id, name, args: typeof args === 'string' ? {} : args },
    })),
  ];
  return { calls, finish: { type: 'finish', reason: event.reason === 'length' ? 'length' : 'calls', parts } };
}
