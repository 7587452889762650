import { Script } from 'node:vm';
import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { messageOf, orNull } from '../errors.js';
import { DEEPEST, isDeeperThan, isJsonObject, type JsonObject, type JsonSchema } from '../json.js';

/** Accepted other spellings by canonical parameter name; never shown to the model. */
export type ParameterAliases = Readonly<Record<string, readonly string[]>>;

type CheckedParams =
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

/**
 * Turns a value into the type its schema asks for if nothing is lost: "5" into 5, "true" into true, a JSON string into
 * an array or object, null into an absent field. Validation reports whatever does not fit. Never changes its input.
 */
function coerce(schema: unknown, value: unknown, notes: string[]): unknown {
  return coerceAt('', schema, value, { root: schema, notes });
}

interface Coercion {
  /** The schema that references point into. */
  root: unknown;
  /** Tell what was changed, one line each. */
  notes: string[];
}

function coerceAt(path: string, schema: unknown, value: unknown, coercion: Coercion): unknown {
  const resolved = dereference(schema, coercion.root);
  if (!isJsonObject(resolved)) return value;
  const types = wantedTypes(resolved);
  const fits = types.length === 0 || types.some((type) => hasType(value, type));
  const fitted = fits ? value : convert(path, value, types, coercion);
  if (Array.isArray(fitted))
    return fitted.map((item, index) => coerceAt(`${path}[${index}]`, resolved['items'], item, coercion));
  return isJsonObject(fitted) ? coerceProperties(path, resolved, fitted, coercion) : fitted;
}

function coerceProperties(
  path: string,
  schema: JsonSchema,
  value: JsonObject,
  coercion: Coercion,
): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const child = path === '' ? key : `${path}.${key}`;
    const itemSchema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const optionalNull = item === null && itemSchema !== undefined && !required.includes(key);
    if (optionalNull && !accepts(itemSchema, coercion.root, 'null')) {
      coercion.notes.push(`${child}: null was read as absent`);
      continue;
    }
    // A plain assignment to `__proto__` would change the prototype instead of adding a key.
    Object.defineProperty(result, key, {
      value: coerceAt(child, itemSchema, item, coercion),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

function convert(path: string, value: unknown, types: string[], { notes }: Coercion): unknown {
  for (const type of types) {
    const converted = convertTo(value, type);
    if (converted === undefined) continue;
    notes.push(`${path || 'arguments'}: ${typeof value} was read as ${type}`);
    return converted;
  }
  return value;
}

function convertTo(value: unknown, type: string): unknown {
  if (typeof value === 'string') {
    const text = value.trim();
    if (type === 'number' && /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
    if (type === 'integer' && /^-?\d+(\.0+)?$/.test(text) && Number.isSafeInteger(Number(text)))
      return Number(text);
    if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    if (type === 'array' && text.startsWith('[')) return parsed(text, Array.isArray);
    if (type === 'object' && text.startsWith('{')) return parsed(text, isJsonObject);
  }
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  if (type === 'array' && typeof value === 'string' && value !== '') return [value];
  return undefined;
}

function parsed(text: string, accept: (value: unknown) => boolean): unknown {
  const value: unknown = orNull(() => JSON.parse(text));
  return accept(value) ? value : undefined;
}

function wantedTypes(schema: JsonSchema): string[] {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((item): item is string => typeof item === 'string') : [];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function accepts(schema: unknown, root: unknown, type: string): boolean {
  const resolved = dereference(schema, root);
  if (!isJsonObject(resolved)) return true;
  const alternatives = [resolved['anyOf'], resolved['oneOf']].find(Array.isArray);
  if (alternatives) return alternatives.some((item) => accepts(item, root, type));
  if (Array.isArray(resolved['enum'])) return resolved['enum'].includes(null);
  const types = wantedTypes(resolved);
  return types.length === 0 || types.includes(type);
}

function dereference(schema: unknown, root: unknown, hops = 8): unknown {
  if (!isJsonObject(schema) || typeof schema['$ref'] !== 'string' || hops === 0) return schema;
  const segments = schema['$ref'].replace(/^#\/?/, '').split('/').filter(Boolean);
  let target: unknown = root;
  for (const segment of segments) {
    if (!isJsonObject(target) || !Object.hasOwn(target, segment)) return schema;
    target = target[segment];
  }
  return dereference(target, root, hops - 1);
}

const LIMIT_MS = 250;
const WORK = Symbol.for('toolwright.work-within-time');

let script: Script | undefined;

/**
 * Runs `work` within a limit of processor time, or throws. Only a script can be cut short, so one runs the work. If
 * the machine was busy with something else, the work is repeated with a longer limit: it must be repeatable.
 */
export function withinTime<Result>(work: () => Result, limitMs = LIMIT_MS): Result {
  for (let wallMs = limitMs * 1.2, used = 0; ; wallMs *= 2) {
    const before = process.cpuUsage();
    const outcome = attempt(work, wallMs);
    if ('result' in outcome) return outcome.result;
    const { user, system } = process.cpuUsage(before);
    used += (user + system) / 1000;
    if (used >= limitMs)
      throw new Error(`it takes more than ${limitMs} ms to check a value against its patterns`);
  }
}

function attempt<Result>(work: () => Result, wallMs: number): { result: Result } | { cut: true } {
  const place = globalThis as unknown as Record<symbol, unknown>;
  script ??= new Script(`globalThis[Symbol.for(${JSON.stringify(WORK.description)})]()`);
  place[WORK] = work;
  try {
    return { result: script.runInThisContext({ timeout: wallMs }) as Result };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { cut: true };
    throw error;
  } finally {
    delete place[WORK];
  }
}
