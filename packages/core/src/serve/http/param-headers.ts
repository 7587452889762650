import type { JsonObject, JsonSchema } from '@toolwright/machine/base/json.js';
import { paramHeadersFor, paramHeadersIn } from '@toolwright/mcp/lists/param-headers.js';

/**
 * The reason why the headers of a call contradict its arguments, or null. A proxy may have routed the call by such a
 * header, so one that is missing or different is refused.
 */
export function paramHeaderProblem(schema: JsonSchema, args: JsonObject, headers: Headers): string | null {
  const declared = paramHeadersIn(schema);
  if (typeof declared === 'string') return null;
  for (const [name, wanted] of Object.entries(paramHeadersFor(declared, args))) {
    const given = headers.get(name);
    if (given === null) return `The header ${name} is missing; it repeats an argument of the call.`;
    const value = decoded(given);
    if (value === null) return `The header ${name} is not valid Base64 of UTF-8.`;
    if (value !== decoded(wanted)) return `The header ${name} differs from the argument that it repeats.`;
  }
  return null;
}

const WRAPPED = /^=\?base64\?(.*)\?=$/;

/** The text of a header, or null when it is wrapped wrongly. */
function decoded(value: string): string | null {
  const wrapped = WRAPPED.exec(value)?.[1];
  if (wrapped === undefined) return value;
  const bytes = Buffer.from(wrapped, 'base64');
  if (bytes.toString('base64') !== wrapped) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
