import { orNull } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonSchema } from '../json.js';

/**
 * Turns a value into the type its schema asks for if nothing is lost: "5" into 5, "true" into true, a JSON string into
 * an array or object, null into an absent field. Validation reports whatever does not fit. Never changes its input.
 */
export function coerce(schema: unknown, value: unknown, notes: string[]): unknown {
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
