import type { FunctionResponse, Message } from '@toolwright/machine/base/content.js';

/** Tools that show files as they are. */
const readers = new Set(['read_file', 'read_many_files']);
/** Shorter texts cost no more than the sentence in their place. */
const LEAST_LENGTH = 600;

/** Stands in place of a text that the conversation holds already. */
const UNCHANGED =
  'Unchanged since you read it: the response to your earlier call, further up in this conversation, still holds word for word. Send the same call once more to see it again.';

/**
 * The message with responses to repeated reads cut short. Compared is with the messages that the model is sent, so a text that
 * was summarized away, or that another agent has read, is sent whole. Who asks a third time gets it whole again.
 */
export function withoutRepeatedReads(message: Message, earlier: readonly Message[]): Message {
  const parts = message.parts.map((part) => {
    const { functionResponse } = part;
    return functionResponse && isRepeated(functionResponse, earlier)
      ? {
          ...part,
          functionResponse: {
            ...functionResponse,
            response: { ...functionResponse.response, output: UNCHANGED },
          },
        }
      : part;
  });
  return { ...message, parts };
}

function isRepeated(given: FunctionResponse, earlier: readonly Message[]): boolean {
  const output = readTextIn(given);
  if (output === null) return false;
  for (const { parts } of earlier.toReversed())
    for (const { functionResponse } of parts.toReversed()) {
      if (!functionResponse) continue;
      if (functionResponse.response?.['output'] === UNCHANGED) return false;
      if (functionResponse.name === given.name && readTextIn(functionResponse) === output) return true;
    }
  return false;
}

function readTextIn({ name = '', response, parts }: FunctionResponse): string | null {
  const output = response?.['output'];
  if (!readers.has(name) || typeof output !== 'string' || parts || output.length < LEAST_LENGTH) return null;
  return output;
}
