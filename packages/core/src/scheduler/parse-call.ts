import { ToolError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { RawCall } from '../model/model.js';

const MAX_ARGUMENT_BYTES = 32 * 1024 * 1024;

export interface ParsedArguments {
  args: Record<string, unknown>;
  notes: string[];
}

/** Arguments as an object: broken JSON is repaired and noted; a call cut off by a length limit is refused. */
export async function parseArguments(call: RawCall): Promise<ParsedArguments> {
  if (call.cutOff) {
    throw new ToolError(
      'invalid_params',
      `The call to ${foreignText(call.name)} was cut off by the output length limit and was not run, so nothing changed. Send it again in smaller pieces, for example several edits instead of one large one.`,
    );
  }
  if (typeof call.arguments !== 'string')
    return { args: requireObject(call.arguments, call.name), notes: [] };
  const text = call.arguments.trim();
  if (text === '') return { args: {}, notes: [] };
  if (text.length > MAX_ARGUMENT_BYTES) {
    throw new ToolError(
      'too_large',
      `The arguments of ${foreignText(call.name)} are larger than 32 MB. Send less in one call.`,
    );
  }
  const parsed = tryParse(text);
  if (parsed !== undefined) return { args: requireObject(unwrapped(parsed), call.name), notes: [] };
  if (stopsInsideText(text)) {
    throw new ToolError(
      'invalid_params',
      `The arguments of ${foreignText(call.name)} stop in the middle of a text, so the call was cut off and was not run; nothing changed. Send it again whole, or in smaller pieces.`,
    );
  }
  const { jsonrepair } = await import('jsonrepair');
  try {
    const repaired: unknown = JSON.parse(jsonrepair(text));
    return {
      args: requireObject(repaired, call.name),
      notes: ['the arguments were not valid JSON and were repaired'],
    };
  } catch {
    throw new ToolError(
      'invalid_params',
      `The arguments of ${foreignText(call.name)} are not valid JSON and could not be repaired. They begin with: ${JSON.stringify(text.slice(0, 200))}. Send one JSON object.`,
    );
  }
}

/**
 * Whether broken JSON ends before a text in it does. Closing the quotes would run the call with half of what it
 * should write. A quote ends a text only where JSON could go on behind it: models forget to escape quotes.
 */
function stopsInsideText(text: string): boolean {
  const opening = /(?:^|[{[,:])\s*(["'])/g;
  for (;;) {
    const quote = opening.exec(text)?.[1];
    if (quote === undefined) return false;
    const closing = quote === '"' ? /\\.|"(?=\s*(?:[,:}\]]|$))/gs : /\\.|'(?=\s*(?:[,:}\]]|$))/gs;
    closing.lastIndex = opening.lastIndex;
    let found = closing.exec(text);
    while (found?.[0].startsWith('\\')) found = closing.exec(text);
    if (!found) return true;
    opening.lastIndex = closing.lastIndex;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some models send the object as a JSON string inside a JSON string. */
function unwrapped(value: unknown): unknown {
  return typeof value === 'string' ? (tryParse(value) ?? value) : value;
}

function requireObject(value: unknown, tool: string): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  throw new ToolError(
    'invalid_params',
    `The arguments of ${foreignText(tool)} must be one JSON object, got ${found}.`,
  );
}
