import { isJsonObject, type JsonObject } from '../../base/json.js';
import { toldIn } from './keywords.js';

/** Words of every schema, and of those of one type, in the order in which limits are written. */
const commonWords = ['$schema', 'type', 'description', 'title', 'enum', 'default'];
const numberLimits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const limitsOf = new Map<unknown, readonly string[]>([
  ['string', ['minLength', 'maxLength']],
  ['number', numberLimits],
  ['integer', numberLimits],
  ['boolean', []],
  ['object', []],
  ['array', ['minItems', 'maxItems']],
]);
const wordsOf = new Map(
  [...limitsOf].map(([type, limits]) => [type, new Set([...commonWords, ...limits, ...innerWords(type)])]),
);

function innerWords(type: unknown): readonly string[] {
  if (type === 'object') return ['properties', 'required', 'additionalProperties'];
  return type === 'array' ? ['items'] : ['format'];
}

const MAX_DEPTH = 20;
const MAX_PARTS = 1_000;
const MAX_VALUES = 100;
const MAX_VALUE_CHARACTERS = 100;

interface Pass {
  propertyName: RegExp;
  parts: number;
}

/**
 * Most tools are described by types, texts, lists of values and limits alone, which OpenAI and Anthropic take as they
 * are: those are only put in order, in one pass, because every start does it before its first request. Null for all
 * others, which are read and written anew.
 */
export function plainSchema(schema: JsonObject, propertyName: RegExp): JsonObject | null {
  if (schema['type'] !== 'object' || 'enum' in schema) return null;
  return plainPart(schema, { propertyName, parts: 0 }, 1);
}

function plainPart(schema: unknown, pass: Pass, depth: number): JsonObject | null {
  if (!isJsonObject(schema) || depth > MAX_DEPTH || ++pass.parts > MAX_PARTS) return null;
  const { type } = schema;
  const words = wordsOf.get(type);
  if (words === undefined) return null;
  for (const word of Object.keys(schema)) if (!words.has(word)) return null;
  const plain: JsonObject = {};
  const description = toldIn(schema);
  if (description !== undefined) plain['description'] = description;
  plain['type'] = type;
  const isTaken =
    takeValues(schema, plain) &&
    takeLimits(schema, plain, limitsOf.get(type) ?? []) &&
    (type !== 'array' || takeItems(schema, plain, pass, depth)) &&
    (type !== 'object' || takeProperties(schema, plain, pass, depth));
  if (!isTaken) return null;
  if (schema['default'] !== undefined) plain['default'] = schema['default'];
  return plain;
}

function takeValues({ enum: values }: JsonObject, plain: JsonObject): boolean {
  if (values === undefined) return true;
  if (!Array.isArray(values) || values.length === 0 || values.length > MAX_VALUES) return false;
  const isPlain = values.every((value) => typeof value === 'string' && value.length <= MAX_VALUE_CHARACTERS);
  if (!isPlain || new Set(values).size < values.length) return false;
  plain['enum'] = values;
  return true;
}

function takeLimits(schema: JsonObject, plain: JsonObject, names: readonly string[]): boolean {
  for (const name of names) {
    const limit = schema[name];
    if (limit === undefined) continue;
    if (typeof limit !== 'number' || !Number.isFinite(limit)) return false;
    plain[name] = limit;
  }
  const { format } = schema;
  if (format === undefined) return true;
  plain['format'] = format;
  return typeof format === 'string' && format !== '';
}

function takeItems(schema: JsonObject, plain: JsonObject, pass: Pass, depth: number): boolean {
  const items = schema['items'] === undefined ? {} : plainPart(schema['items'], pass, depth + 1);
  plain['items'] = items;
  return items !== null;
}

function takeProperties(schema: JsonObject, plain: JsonObject, pass: Pass, depth: number): boolean {
  const { properties = {}, required = [], additionalProperties: additional } = schema;
  if (!isJsonObject(properties) || !isListOf(required, properties)) return false;
  if (additional !== undefined && typeof additional !== 'boolean') return false;
  const taken: JsonObject = {};
  for (const name of Object.keys(properties)) {
    const property = plainPart(properties[name], pass, depth + 1);
    if (property === null || name === '__proto__' || !pass.propertyName.test(name)) return false;
    taken[name] = property;
  }
  if (depth === 1 || Object.keys(taken).length > 0) plain['properties'] = taken;
  if (required.length > 0) plain['required'] = required;
  if (additional === false) plain['additionalProperties'] = false;
  return true;
}

function isListOf(names: unknown, properties: JsonObject): names is string[] {
  return (
    Array.isArray(names) &&
    new Set(names).size === names.length &&
    names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  );
}
