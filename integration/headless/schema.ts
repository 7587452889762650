import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonSchema } from '../../packages/machine/src/base/json.js';
import { validate } from '../../packages/machine/src/base/json-schema/json-schema.js';

const published = JSON.parse(
  readFileSync(new URL('../../docs/headless.schema.json', import.meta.url), 'utf8'),
) as JsonSchema & { $defs: Record<string, JsonSchema> };

/** Readers are told to ignore fields they do not know; the tests allow none, so that each one is documented. */
const $defs = closed(published.$defs) as Record<string, JsonSchema>;
const byName = new Map<string, JsonSchema>(
  Object.entries($defs).map(([name, schema]) => [name, { ...schema, $defs }]),
);

export const eventTypes = (published.$defs['event']!['oneOf'] as { $ref: string }[]).map(
  ({ $ref }) => $ref.split('/').at(-1) ?? '',
);

/** Names the problem of a printed line, or null. */
export function problemIn(line: unknown, format: 'json' | 'stream-json'): string | null {
  if (format === 'json') return validate(byName.get('json')!, line);
  const type = isJsonObject(line) ? line['type'] : undefined;
  if (typeof type !== 'string' || ![...eventTypes, 'question', 'error'].includes(type))
    return `no event has the type ${String(type)}`;
  return validate(byName.get(type)!, line);
}

/** The file as it is published, fields unknown to it included. */
export function problemForReader(line: unknown): string | null {
  return validate(published, line);
}

/** The fields that must be there. */
export function requiredFields(name: string): string[] {
  return (byName.get(name)?.['required'] ?? []) as string[];
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJsonObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return isJsonObject(inner['properties']) && inner['type'] === 'object'
    ? { ...inner, additionalProperties: false }
    : inner;
}
