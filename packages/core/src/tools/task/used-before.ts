import type { Message } from '@toolwright/machine/base/content.js';

/** A summary keeps the list of `todo` below this line, since it holds no calls. */
export const LIST_IN_SUMMARY = '[The list of todo at this point]\n';

/** The conversation has used the tool, maybe in another program, so that the model goes on to use it. */
export function wasUsed(name: string, messages: readonly Message[]): boolean {
  return messages.some(({ parts }) =>
    parts.some(
      ({ functionCall, text }) =>
        functionCall?.name === name || (name === 'todo' && text?.includes(LIST_IN_SUMMARY)),
    ),
  );
}
