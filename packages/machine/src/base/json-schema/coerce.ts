import { orNull } from '../errors.js';
import { isJsonObject, type JsonSchema } from '../json.js';

/**
 * Turns a value into the type its schema asks for if nothing is lost: "5" into 5, "true" into true, a JSON string into
 * an array or object, null into an absent field. Validation reports whatever does not fit. Never changes its input.
 */
export function coerce(
  schema: unknown,
  value: unknown,
  notes: string[],
  root: unknown = schema,
  path = '',
): unknown {
  const resolved = dereference(schema, root);
  if (!isJsonObject(resolved)) return value;
  const types = wantedTypes(resolved);
  const fitted =
    types.length > 0 && !types.some((type) => hasType(value, type))
      ? convert(value, types, path, notes)
      : value;
  if (Array.isArray(fitted)) return coerceItems(resolved, fitted, notes, root, path);
  if (isJsonObject(fitted)) return coerceProperties(resolved, fitted, notes, root, path);
  return fitted;
}

function coerceItems(
  schema: JsonSchema,
  items: unknown[],
  notes: string[],
  root: unknown,
  path: string,
): unknown[] {
  const itemSchema = schema['items'];
  return items.map((item, index) => coerce(itemSchema, item, notes, root, `${path}[${index}]`));
}

function coerceProperties(
  schema: JsonSchema,
  value: Record<string, unknown>,
  notes: string[],
  root: unknown,
  path: string,
): Record<string, unknown> {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const child = path === '' ? key : `${path}.${key}`;
    const itemSchema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const optionalNull = item === null && itemSchema !== undefined && !required.includes(key);
    if (optionalNull && !accepts(itemSchema, root, 'null')) {
      notes.push(`${child}: null was read as absent`);
      continue;
    }
    // A plain assignment to `__proto__` would change the prototype instead of adding a key.
    Object.defineProperty(result, key, {
      value: coerce(itemSchema, item, notes, root, child),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

function convert(value: unknown, types: string[], path: string, notes: string[]): unknown {
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
