import type { Message, Part } from '@toolwright/machine/base/content.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';

/** A journal entry as it is written: without known secrets and without what has the form of one. */
export function entryWithoutSecrets(entry: { type: string }, redactor: Redactor): JsonObject {
  // A change set holds hashes and paths alone, and both must stay exactly what they are.
  return entry.type === 'changes' ? { ...entry } : (redactor.data(entry) as JsonObject);
}

/** A message as the model gets it: without known secrets. What merely looks like one may be source code. */
export function messageWithoutSecrets({ role, parts }: Message, redactor: Redactor): Message {
  return { role, parts: parts.map((part) => partWithoutSecrets(part, redactor)) };
}

function partWithoutSecrets(part: Part, { known }: Redactor): Part {
  const { text, functionResponse } = part;
  if (text !== undefined) return { ...part, text: known(text) };
  if (functionResponse?.response === undefined) return part;
  const response = mapTexts(functionResponse.response, known) as JsonObject;
  return { ...part, functionResponse: { ...functionResponse, response } };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
