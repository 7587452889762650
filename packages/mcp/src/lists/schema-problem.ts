import { DEEPEST, isDeeperThan, isJsonObject } from '@toolwright/machine/base/json.js';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const ONE_SCHEMA = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
];
const MANY_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LARGEST_CHARACTERS = 200_000;

/** Why a server's schema can't be used, or null. Looks at what validators and models trip over, not at taste. */
export function schemaProblem(schema: unknown): string | null {
  if (!isJsonObject(schema)) return 'it is not an object';
  if (isDeeperThan(schema, DEEPEST)) return `it is nested more than ${DEEPEST} levels deep`;
  if (JSON.stringify(schema).length > LARGEST_CHARACTERS)
    return `it is longer than ${LARGEST_CHARACTERS / 1_000} kB`;
  return problemAt(schema, '', schema);
}

function problemAt(schema: unknown, path: string, root: unknown): string | null {
  if (typeof schema === 'boolean') return null;
  const where = path === '' ? 'the schema' : path;
  if (!isJsonObject(schema)) return `${where} is not a schema`;
  const own = ownProblem(schema, where, root);
  if (own !== null) return own;
  for (const [key, child] of childrenOf(schema)) {
    const problem = problemAt(child, path === '' ? key : `${path}.${key}`, root);
    if (problem !== null) return problem;
  }
  return null;
}

function ownProblem(schema: Record<string, unknown>, where: string, root: unknown): string | null {
  const { type, required, pattern, enum: choices, $ref: reference } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every((name) => TYPES.has(name as string)))
    return `${where} has the unknown type ${JSON.stringify(type).slice(0, 60)}`;
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
  )
    return `"required" of ${where} is not a list of names`;
  if (choices !== undefined && !Array.isArray(choices)) return `"enum" of ${where} is not a list`;
  if (pattern !== undefined && !isPattern(pattern))
    return `"pattern" of ${where} is not a regular expression`;
  if (typeof reference === 'string' && reference.startsWith('#/') && !resolves(reference, root))
    return `${where} refers to ${reference.slice(0, 80)}, which is not there`;
  for (const key of NAMED_SCHEMAS)
    if (schema[key] !== undefined && !isJsonObject(schema[key]))
      return `"${key}" of ${where} is not an object`;
  for (const key of MANY_SCHEMAS)
    if (schema[key] !== undefined && !Array.isArray(schema[key])) return `"${key}" of ${where} is not a list`;
  return null;
}

function* childrenOf(schema: Record<string, unknown>): Generator<[string, unknown]> {
  for (const key of ONE_SCHEMA) {
    const child = schema[key];
    if (Array.isArray(child)) for (const item of child) yield [key, item];
    else if (child !== undefined) yield [key, child];
  }
  for (const key of MANY_SCHEMAS)
    for (const child of (schema[key] as unknown[] | undefined) ?? []) yield [key, child];
  for (const key of NAMED_SCHEMAS)
    for (const [name, child] of Object.entries(schema[key] ?? {})) yield [`${key}.${name}`, child];
}

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function resolves(reference: string, root: unknown): boolean {
  let value = root;
  for (const segment of reference.slice(2).split('/')) {
    const key = decodeSegment(segment);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return segment;
  }
}
