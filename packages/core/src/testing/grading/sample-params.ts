import { isJsonObject, type JsonObject, type JsonSchema } from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import { resolveReference } from '../../model/schema/references.js';
import { matchingText } from './matching-text.js';

const DEEPEST = 12;

/** Position in a schema: its root, for references, and how deep it is. */
interface Place {
  root: JsonSchema;
  depth: number;
}

/** Params that fit a schema, good enough to be looked at; null where none could be made up. */
export function sampleParams(schema: JsonSchema): JsonObject | null {
  const value = sampleOf(schema, { root: schema, depth: 0 });
  return isJsonObject(value) && validate(schema, value) === null ? value : null;
}

function sampleOf(given: unknown, { root, depth }: Place): unknown {
  if (!isJsonObject(given) || depth > DEEPEST) return given === false ? undefined : null;
  const inner = { root, depth: depth + 1 };
  const schema = withoutReference(given, root);
  const said = ['const', 'default', 'example', 'examples', 'enum'].flatMap((word) => saidIn(schema, word));
  const known = said.find((value) => fits(schema, value, root));
  if (known !== undefined) return known;
  for (const word of ['anyOf', 'oneOf']) {
    const forms = Array.isArray(schema[word]) ? schema[word] : [];
    const { [word]: _forms, ...rest } = schema;
    for (const form of forms) {
      const value = sampleOf(merged(rest, withoutReference(form, root)), inner);
      if (fits(schema, value, root)) return value;
    }
  }
  if (Array.isArray(schema['allOf'])) {
    const { allOf, ...rest } = schema;
    const forms = (allOf as unknown[]).map((form) => withoutReference(form, root));
    return sampleOf(forms.reduce<JsonObject>(merged, rest), inner);
  }
  return ofType(schema, inner);
}

function saidIn(schema: JsonObject, word: string): unknown[] {
  const value = schema[word];
  if (value === undefined) return [];
  return word === 'examples' || word === 'enum' ? [value].flat() : [value];
}

function fits(schema: JsonObject, value: unknown, root: JsonSchema): boolean {
  const { $defs, definitions, $schema } = root;
  return validate({ $defs, definitions, $schema, ...schema }, value) === null;
}

function withoutReference(schema: unknown, root: JsonSchema): JsonObject {
  if (!isJsonObject(schema)) return {};
  const { $ref, ...rest } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = resolveReference(root, $ref);
  return target.found && isJsonObject(target.schema) ? merged(target.schema, rest) : rest;
}

/** Both schemas in one, as far as that can be written down. */
function merged(left: JsonObject, right: JsonObject): JsonObject {
  const both = { ...left, ...right };
  for (const word of ['properties', '$defs'])
    if (isJsonObject(left[word]) && isJsonObject(right[word])) both[word] = { ...left[word], ...right[word] };
  if (Array.isArray(left['required']) && Array.isArray(right['required']))
    both['required'] = [...left['required'], ...right['required']];
  return both;
}

function ofType(schema: JsonObject, inner: Place): unknown {
  switch (typeOf(schema)) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema, inner);
    case 'boolean':
      return true;
    case 'array':
      return arrayOf(schema, inner);
    case 'null':
      return null;
    default:
      return objectOf(schema, inner);
  }
}

/** The first type that is not null; without one, what the other words speak of. */
function typeOf(schema: JsonObject): unknown {
  const types = [schema['type'] ?? []].flat();
  const [type = types[0]] = types.filter((each) => each !== 'null');
  if (type !== undefined) return type;
  if (schema['pattern'] !== undefined || schema['format'] !== undefined) return 'string';
  if (schema['minimum'] !== undefined || schema['multipleOf'] !== undefined) return 'number';
  return schema['items'] !== undefined ? 'array' : 'object';
}

const FORMATS: Record<string, string> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  time: '03:04:05Z',
  duration: 'P1D',
  email: 'someone@example.com',
  'idn-email': 'someone@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': 'https://example.com/',
  'iri-reference': 'https://example.com/',
  'uri-template': 'https://example.com/{id}',
  uuid: '6f1c2a34-5b67-4c89-8d01-23456789abcd',
  'json-pointer': '/a',
  'relative-json-pointer': '0',
  regex: 'a',
  byte: 'YQ==',
  json: '{}',
};

function textOf(schema: JsonObject): string | null {
  const least = Number(schema['minLength'] ?? 0);
  const most = Number(schema['maxLength'] ?? Infinity);
  const isFitting = (text: string): boolean => text.length >= least && text.length <= most;
  const usual = FORMATS[String(schema['format'])];
  const pattern = schema['pattern'];
  if (typeof pattern === 'string') {
    const isMatching = (text: string): boolean => new RegExp(pattern, 'u').test(text);
    if (usual !== undefined && isFitting(usual) && isMatching(usual)) return usual;
    return matchingText(pattern, isFitting);
  }
  if (usual !== undefined) return isFitting(usual) ? usual : null;
  return 'x'.repeat(Math.min(Math.max(1, least), most));
}

/** The first of some likely numbers that fits: small ones, the limits, and multiples near them. */
function numberOf(schema: JsonObject, { root }: Place): number | null {
  const limits = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum']
    .map((word) => schema[word])
    .filter((limit) => typeof limit === 'number');
  const step = Number(schema['multipleOf'] ?? 1);
  const near = limits.flatMap((limit) => [0, 1, -1].map((more) => (Math.round(limit / step) + more) * step));
  const middle = limits.reduce((sum, limit) => sum + limit, 0) / limits.length;
  const likely = [0, 1, step, ...limits, ...near, middle];
  return likely.find((number) => fits(schema, number, root)) ?? null;
}

function arrayOf(schema: JsonObject, inner: Place): unknown[] {
  const least = Number(schema['minItems'] ?? 0);
  const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  const items = Array.isArray(schema['items']) ? {} : (schema['items'] ?? {});
  const length = Math.max(least, 0);
  const values = Array.from({ length }, (_, index) => sampleOf(first[index] ?? items, inner));
  return schema['uniqueItems'] === true ? distinctValues(values, items) : values;
}

/** Values of a list, or numbers and texts that differ. */
function distinctValues(values: unknown[], items: unknown): unknown[] {
  const choices = isJsonObject(items) && Array.isArray(items['enum']) ? items['enum'] : [];
  if (choices.length >= values.length) return choices.slice(0, values.length);
  return values.map((value, index) => {
    if (typeof value === 'number') return value + index;
    return typeof value === 'string' ? `${value}${index || ''}` : value;
  });
}

function objectOf(schema: JsonObject, inner: Place): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const others = isJsonObject(schema['additionalProperties']) ? schema['additionalProperties'] : {};
  const wanted = Number(schema['minProperties'] ?? 0) - required.length;
  const more = Object.keys(properties).filter((name) => !required.includes(name));
  const names = [...required, ...more.slice(0, Math.max(0, wanted))];
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? others, inner)]));
}
