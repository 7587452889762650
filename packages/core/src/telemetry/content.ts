import type { Message, Part } from '@toolwright/machine/base/content.js';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';

/** Gives a text that may be sent, or undefined where nothing of what was said is. */
export type Content = (value: unknown) => string | undefined;

const LONGEST_CONTENT = 32 * 1024;
const SHORTEST_CUT = 64;

export function contentFilter(isWanted: boolean, redactor: () => Redactor): Content {
  return (value) => {
    if (!isWanted) return undefined;
    if (typeof value === 'string') return cutTo(LONGEST_CONTENT, redactor().text(value));
    return jsonOf(redactor().data(value));
  };
}

/** Data as JSON, which it stays when it is too long: the texts in it are cut, shorter and shorter until all of it fits. */
function jsonOf(value: unknown): string {
  for (let most = LONGEST_CONTENT; most >= SHORTEST_CUT; most /= 2) {
    const text = JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'string' ? cutTo(most, item) : item,
    );
    if (text.length <= LONGEST_CONTENT) return text;
  }
  return '"too much to be sent"';
}

function cutTo(most: number, text: string): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A message in the form that the conventions for generative AI give it. */
export function toldMessage({ role, parts }: Message): JsonObject {
  const isResponse = parts.some(({ functionResponse }) => functionResponse);
  const speaker = isResponse ? 'tool' : 'user';
  return { role: role === 'model' ? 'assistant' : speaker, parts: parts.map(toldPart) };
}

/** An answer of a model in that form, with the reason for its end. */
export function toldAnswer(parts: readonly Part[], finish: string): JsonObject {
  return { role: 'assistant', parts: parts.map(toldPart), finish_reason: finishReason(finish) };
}

/** The names that the conventions give to reasons. */
const reasons: Readonly<Record<string, string>> = { calls: 'tool_call', filter: 'content_filter' };

export function finishReason(finish: string): string {
  return reasons[finish] ?? finish;
}

/** Pictures and files are named, not sent. */
function toldPart({ text = '', thought, functionCall, functionResponse, inlineData }: Part): JsonObject {
  if (functionCall) {
    const { id, name, args } = functionCall;
    return { type: 'tool_call', id, name, arguments: args };
  }
  if (functionResponse)
    return {
      type: 'tool_call_response',
      id: functionResponse.id,
      response: functionResponse.response ?? null,
    };
  if (inlineData) return { type: 'attachment', mime_type: inlineData.mimeType };
  return { type: thought ? 'reasoning' : 'text', content: text };
}
