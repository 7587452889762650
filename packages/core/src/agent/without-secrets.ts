import type { Message, Part } from '@toolwright/machine/base/content.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';

/** A message as a model may have it: what tools found and what was pasted, less the values that are known secrets. */
export function withoutSecrets({ role, parts }: Message, known: (text: string) => string): Message {
  return { role, parts: parts.map((part) => cleaned(part, known)) };
}

function cleaned(part: Part, known: (text: string) => string): Part {
  const { text, functionResponse } = part;
  if (text !== undefined) return { ...part, text: known(text) };
  if (functionResponse?.response === undefined) return part;
  const response = mapTexts(functionResponse.response, known) as Record<string, unknown>;
  return { ...part, functionResponse: { ...functionResponse, response } };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
