import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { messageOf, orNull } from '../errors.js';
import { DEEPEST, isDeeperThan, isJsonObject, type JsonSchema } from '../json.js';
import { coerce } from './coerce.js';
import { withinTime } from './within-time.js';

/** Accepted other spellings by canonical parameter name; never shown to the model. */
export type ParameterAliases = Readonly<Record<string, readonly string[]>>;

export type CheckedParams =
  | { ok: true; params: Record<string, unknown>; notes: string[] }
  | { ok: false; problem: string };

const MAX_PROBLEMS = 5;
const MAX_NOTES = 10;
const validators = new WeakMap<JsonSchema, Validator>();

/**
 * Turns the arguments a model sent into a tool's parameters: resolves aliases, coerces types if nothing is lost, then
 * validates. The notes tell the model what was changed.
 */
export function checkParams(
  schema: JsonSchema,
  input: unknown,
  aliases: ParameterAliases = {},
): CheckedParams {
  if (!isJsonObject(input)) {
    return { ok: false, problem: `The arguments must be an object, got ${describeValue(input)}.` };
  }
  if (isDeeperThan(input, DEEPEST)) {
    return { ok: false, problem: `The arguments are nested more than ${DEEPEST} levels deep.` };
  }
  const notes: string[] = [];
  const named = resolveAliases(input, aliases, notes);
  if ('problem' in named) return { ok: false, problem: named.problem };
  const params = coerce(schema, named.params, notes) as Record<string, unknown>;
  const problem = validate(schema, params);
  return problem === null ? { ok: true, params, notes: limitNotes(notes) } : { ok: false, problem };
}

function limitNotes(notes: string[]): string[] {
  const more = notes.length - MAX_NOTES;
  return more > 0 ? [...notes.slice(0, MAX_NOTES), `… and ${more} more changes like these`] : notes;
}

/**
 * Null when the value fits the schema; else its problems, one per line, each with path, expectation and actual value.
 */
export function validate(schema: JsonSchema, value: unknown): string | null {
  let errors: OutputUnit[];
  try {
    const validator = validatorFor(schema);
    const result = usesPatterns(schema)
      ? withinTime(() => validator.validate(value))
      : validator.validate(value);
    if (result.valid) return null;
    errors = result.errors;
  } catch (error) {
    return `The tool's parameter schema can't be used: ${messageOf(error)}`;
  }
  const lines = new Set(leafErrors(errors).map((error) => describeProblem(schema, value, error)));
  const shown = [...lines].slice(0, MAX_PROBLEMS);
  if (lines.size > shown.length) shown.push(`… and ${lines.size - shown.length} more problems.`);
  return shown.join('\n');
}

function validatorFor(schema: JsonSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    validator = new Validator(schema as Schema, draftOf(schema), false);
    validators.set(schema, validator);
  }
  return validator;
}

const matching = new WeakMap<JsonSchema, boolean>();

/**
 * True when a schema has a pattern, which some texts make run for years. `pattern` counts as one only with a string
 * value: a parameter of that name has a schema there.
 */
function usesPatterns(schema: JsonSchema): boolean {
  let found = matching.get(schema);
  if (found === undefined) {
    found = /"pattern":"|"patternProperties":/.test(JSON.stringify(schema));
    matching.set(schema, found);
  }
  return found;
}

function draftOf(schema: JsonSchema): SchemaDraft {
  const declared = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (declared.includes('draft-04')) return '4';
  if (declared.includes('draft-07') || declared.includes('draft-06')) return '7';
  if (declared.includes('2019-09')) return '2019-09';
  return '2020-12';
}

/** A failing schema reports itself and every schema around it; only the innermost says what is wrong. */
function leafErrors(errors: OutputUnit[]): OutputUnit[] {
  const wrappers = new Set([
    'properties',
    'items',
    'prefixItems',
    '$ref',
    'allOf',
    'additionalProperties',
    'if',
    'then',
    'else',
  ]);
  const leaves = errors.filter((error) => !wrappers.has(error.keyword));
  return leaves.length > 0 ? leaves : errors;
}

function describeProblem(schema: JsonSchema, value: unknown, error: OutputUnit): string {
  const segments = pointerSegments(error.instanceLocation);
  const path = formatPath(segments);
  const found = valueAt(value, segments);
  const expected = keywordAt(schema, pointerSegments(error.keywordLocation));
  if (expected === undefined && error.keyword !== 'false')
    return `${path}: ${error.keyword} is not met by ${describeValue(found)}.`;
  switch (error.keyword) {
    case 'type':
      return `${path}: expected ${[expected].flat().join(' or ')}, got ${describeValue(found)}.`;
    case 'required': {
      const missing = [expected]
        .flat()
        .find((key) => !(isJsonObject(found) && Object.hasOwn(found, String(key))));
      return `${formatPath([...segments, String(missing)])}: required, but missing.`;
    }
    case 'enum':
      return `${path}: expected one of ${clip(JSON.stringify(expected))}, got ${describeValue(found)}.`;
    case 'const':
      return `${path}: expected ${clip(JSON.stringify(expected))}, got ${describeValue(found)}.`;
    case 'false':
      return `${path}: not a parameter here.`;
    default:
      return `${path}: ${error.keyword} ${clip(JSON.stringify(expected))} is not met by ${describeValue(found)}.`;
  }
}

function resolveAliases(
  input: Record<string, unknown>,
  aliases: ParameterAliases,
  notes: string[],
): { params: Record<string, unknown> } | { problem: string } {
  const params: Record<string, unknown> = { ...input };
  for (const [canonical, others] of Object.entries(aliases)) {
    for (const other of others) {
      if (!Object.hasOwn(params, other)) continue;
      if (Object.hasOwn(params, canonical) && params[canonical] !== params[other]) {
        return {
          problem: `Both ${canonical} and ${other} were given, with different values. Send only ${canonical}.`,
        };
      }
      params[canonical] = params[other];
      delete params[other];
      notes.push(`${other} was read as ${canonical}`);
    }
  }
  return { params };
}

/** Describes the actual value, short enough for a message. */
function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === 'object') return 'object';
  return `${typeof value} ${clip(JSON.stringify(value) ?? String(value))}`;
}

function clip(text: string, limit = 120): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}

function pointerSegments(location: string): string[] {
  const pointer = location.replace(/^#?\/?/, '');
  if (pointer === '') return [];
  return pointer
    .split('/')
    .map((segment) =>
      (orNull(() => decodeURIComponent(segment)) ?? segment).replaceAll('~1', '/').replaceAll('~0', '~'),
    );
}

function valueAt(root: unknown, segments: string[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/** The value of a keyword in the schema; references on the way are followed. */
function keywordAt(schema: JsonSchema, segments: string[]): unknown {
  let value: unknown = schema;
  for (const segment of segments) {
    value = valueAt(value, [segment]);
    if (segment === '$ref' && typeof value === 'string')
      value = value.startsWith('#') ? valueAt(schema, pointerSegments(value)) : undefined;
  }
  return value;
}

function formatPath(segments: string[]): string {
  return segments.length === 0
    ? 'arguments'
    : segments
        .map((segment, index) => (/^\d+$/.test(segment) ? `[${segment}]` : `${index ? '.' : ''}${segment}`))
        .join('');
}
