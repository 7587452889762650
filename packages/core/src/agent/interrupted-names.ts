import type { Message } from '@toolwright/machine/base/content.js';
import { isInterrupted } from '../model/interrupted-call.js';

/** The latest interrupted calls, in the order they were made. */
export function namesOfInterrupted(messages: readonly Message[], count: number): string[] {
  if (count === 0) return [];
  const parts = messages.flatMap((message) => message.parts);
  const lost = new Set(
    parts.flatMap(({ functionResponse }) =>
      functionResponse && isInterrupted(functionResponse) ? [functionResponse.id] : [],
    ),
  );
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall && lost.has(functionCall.id) ? [functionCall] : [],
  );
  return calls.slice(-count).map(({ name, args = {} }) => {
    const first = Object.values(args).find((value) => typeof value === 'string');
    return first === undefined ? (name ?? '') : `${name} ${first.split('\n')[0]}`;
  });
}
