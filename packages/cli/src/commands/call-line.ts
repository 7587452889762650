import type { JsonObject, RawCall } from '@toolwright/core';
import { isJsonObject, messageOf } from '@toolwright/core/front-end';
import { tooLong } from '../base/read-stdin.js';

const FORM = 'Write {"name": "…", "args": {…}}.';

/** A line of `--batch` with all that stands in it, or what is wrong with it. */
export function callOfLine(
  line: string | typeof tooLong,
): { call: RawCall; fields: JsonObject } | { problem: string } {
  if (line === tooLong) return { problem: 'This line is larger than 64 MB. Send less in one call.' };
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch (error) {
    return { problem: `This line is not JSON: ${messageOf(error)}. ${FORM}` };
  }
  if (!isJsonObject(fields)) return { problem: `This line is not an object. ${FORM}` };
  const call = callFrom(fields);
  return 'problem' in call ? call : { call, fields };
}

/** The call that an object with `name` and `args` means. */
export function callFrom({ name, args = {} }: Record<string, unknown>): RawCall | { problem: string } {
  if (typeof name !== 'string') return { problem: `The name of the tool must be a string. ${FORM}` };
  return { id: '', name, arguments: args as RawCall['arguments'] };
}
