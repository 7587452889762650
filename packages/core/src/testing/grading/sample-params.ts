import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';

const DEEPEST = 6;

/** Params that fit a schema as far as can be told from it: good enough to be looked at, not to be executed. */
export function sampleParams(schema: JsonSchema): JsonObject {
  const value = sampleOf(schema, 0);
  return isJsonObject(value) ? value : {};
}

function sampleOf(schema: unknown, depth: number): unknown {
  if (!isJsonObject(schema) || depth > DEEPEST) return null;
  const given = [schema['const'], schema['default'], first(schema['examples']), first(schema['enum'])];
  const known = given.find((value) => value !== undefined);
  if (known !== undefined) return known;
  const choice = first(schema['anyOf']) ?? first(schema['oneOf']);
  if (choice !== undefined) return sampleOf(choice, depth + 1);
  switch (first(schema['type']) ?? schema['type']) {
    case 'string':
      return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
    case 'integer':
    case 'number':
      return (
        Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0) +
        (schema['exclusiveMinimum'] === undefined ? 0 : 1)
      );
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 0) }, () =>
        sampleOf(schema['items'], depth + 1),
      );
    case 'null':
      return null;
    default:
      return objectOf(schema, depth);
  }
}

function objectOf(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name], depth + 1)]));
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
