import type { FunctionCall, FunctionResponse, Message, Part } from '@toolwright/machine/base/content.js';
import { interruptedResponse, isInterrupted } from '../model/interrupted-call.js';

/**
 * A history in which every call has exactly one response, in call order, and every response a call: what is
 * missing is taken from `answered` or told as interrupted, what nobody asked for is dropped. Providers refuse
 * anything else, and one refused history would end a session for good.
 */
export function repairHistory(
  messages: readonly Message[],
  answered: readonly FunctionResponse[] = [],
): Message[] {
  const repaired: Message[] = [];
  const known = [...answered];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role === 'user') {
      pushUnlessEmpty(repaired, {
        role: 'user',
        parts: message.parts.filter((part) => !part.functionResponse),
      });
      continue;
    }
    pushUnlessEmpty(repaired, message);
    const calls = message.parts.flatMap((part) => part.functionCall ?? []);
    if (calls.length === 0) continue;
    const next = messages[index + 1];
    const given = next?.role === 'user' ? next.parts : [];
    const responses = given.flatMap((part) => part.functionResponse ?? []);
    const answers = calls.map((call) => ({
      functionResponse: take(call, responses) ?? take(call, known) ?? interruptedResponse(call),
    }));
    repaired.push({ role: 'user', parts: [...answers, ...given.filter((part) => !part.functionResponse)] });
    if (next?.role === 'user') index += 1;
  }
  return repaired;
}

/** Number of calls in a repaired history that got no response of their own. */
export function interruptedCalls(messages: readonly Message[]): number {
  return messages
    .flatMap(({ parts }) => parts)
    .filter(({ functionResponse }) => functionResponse && isInterrupted(functionResponse)).length;
}

/** By id where there is one, else by name; each response answers one call. */
function take(call: FunctionCall, responses: FunctionResponse[]): FunctionResponse | undefined {
  const fits = (response: FunctionResponse): boolean =>
    call.id === undefined || call.id === '' ? response.name === call.name : response.id === call.id;
  const index = responses.findIndex(fits);
  return index === -1 ? undefined : responses.splice(index, 1)[0];
}

function pushUnlessEmpty(messages: Message[], message: Message): void {
  if (message.parts.some(hasContent)) messages.push(message);
}

function hasContent(part: Part): boolean {
  return (
    part.text !== '' ||
    part.thought === true ||
    part.thoughtSignature !== undefined ||
    Object.keys(part).length > 1
  );
}
