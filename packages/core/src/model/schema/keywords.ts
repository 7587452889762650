import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { both, eitherOf } from './combine.js';
import {
  anyShape,
  clipped,
  type LimitName,
  limitNames,
  type Shape,
  type TypeName,
  typeOfValue,
} from './shape.js';

export interface KeywordContext {
  /** Reads a schema inside this one; `step` is added to the path. */
  child(schema: unknown, step: string): Shape;
  lose(what: string): void;
}

const typeAliases: Record<string, TypeName> = {
  string: 'string',
  str: 'string',
  text: 'string',
  number: 'number',
  float: 'number',
  double: 'number',
  integer: 'integer',
  int: 'integer',
  long: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  object: 'object',
  dict: 'object',
  map: 'object',
  array: 'array',
  list: 'array',
};

const usualWords = new Set([
  '$schema',
  'type',
  'description',
  'title',
  'enum',
  'default',
  'properties',
  'required',
  'additionalProperties',
]);

/** The keywords of one schema object, its combinations and references aside. */
export function readKeywords(schema: JsonObject, context: KeywordContext): Shape {
  const shape = anyShape();
  readTypes(schema, shape);
  readValues(schema, shape);
  readTexts(schema, shape);
  readObject(schema, shape, context);
  // Most schemas use no other words, and hundreds of them are read before the first request.
  if (Object.keys(schema).every((word) => usualWords.has(word))) {
    inferType(shape);
    return shape;
  }
  readLimits(schema, shape);
  readNamesByPattern(schema, shape, context);
  readArray(schema, shape, context);
  const whole = readConditions(schema, shape, context);
  inferType(whole);
  return whole;
}

function readTypes(schema: JsonObject, shape: Shape): void {
  const given = [schema['type']].flat();
  for (const item of given) {
    // Draft 3 allowed schemas inside `type`.
    const name = isJsonObject(item) ? item['type'] : item;
    if (name === 'null') shape.nullable = true;
    else if (typeof name === 'string') {
      const type = typeAliases[name.toLowerCase()];
      if (type && !shape.types.includes(type)) shape.types.push(type);
    }
  }
  if (given.length > 0 && given.every((item) => item === 'null')) shape.notes.push('always null');
  if (shape.types.includes('number')) shape.types = shape.types.filter((type) => type !== 'integer');
  if (schema['nullable'] === true) shape.nullable = true;
}

function readValues(schema: JsonObject, shape: Shape): void {
  const given = 'const' in schema ? [schema['const']] : schema['enum'];
  if (!Array.isArray(given) || given.length === 0) return;
  const distinct = [...new Map(given.map((value) => [JSON.stringify(value), value])).values()];
  if (distinct.includes(null) && (shape.types.length === 0 || shape.nullable)) shape.nullable = true;
  else if (shape.nullable) shape.nullable = false;
  const values = distinct.filter((value) => value !== null);
  if (values.length > 0) shape.values = values;
}

/** The description of a schema, or its title. */
export function toldIn({ description, title }: JsonObject): string | undefined {
  if (typeof description === 'string' && description.trim() !== '') return description;
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}

function readTexts(schema: JsonObject, shape: Shape): void {
  const { pattern, format, examples, example } = schema;
  const description = toldIn(schema);
  if (description !== undefined) shape.description = description;
  if (typeof pattern === 'string' && pattern !== '') shape.pattern = pattern;
  if (typeof format === 'string' && format !== '') shape.format = format;
  if ('default' in schema) shape.defaultValue = schema['default'];
  const shown = Array.isArray(examples) ? examples : example === undefined ? [] : [example];
  if (shown.length > 0) {
    const text = shown.slice(0, 3).map((value) => clipped(value, 80));
    shape.notes.push(`for example ${text.join(', ')}`);
  }
  if (schema['deprecated'] === true) shape.notes.push('deprecated');
}

function readLimits(schema: JsonObject, shape: Shape): void {
  for (const name of limitNames) {
    const value = numeric(schema[name]);
    if (value !== undefined) shape.limits[name] = value;
  }
  // Draft 4 said `exclusiveMinimum: true` beside `minimum`.
  for (const [flag, plain] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as [LimitName, LimitName][]) {
    const limit = shape.limits[plain];
    if (schema[flag] === true && limit !== undefined) {
      shape.limits[flag] = limit;
      delete shape.limits[plain];
    }
  }
  if (schema['uniqueItems'] === true) shape.uniqueItems = true;
}

function numeric(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readObject(schema: JsonObject, shape: Shape, { child, lose }: KeywordContext): void {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, property] of Object.entries(properties)) {
    if (property === false) {
      lose(`${name} may not be given; it is left out`);
      continue;
    }
    shape.properties.set(name, child(property, `.${name}`));
    // Draft 3 marked the property itself.
    if (isJsonObject(property) && property['required'] === true) shape.required.add(name);
  }
  if (Array.isArray(schema['required'])) {
    for (const name of schema['required'])
      if (typeof name === 'string' && properties[name] !== false) shape.required.add(name);
  }
  const additional = schema['additionalProperties'];
  if (typeof additional === 'boolean') shape.additional = additional;
  else if (isJsonObject(additional)) shape.additional = child(additional, '.*');
}

function readNamesByPattern(schema: JsonObject, shape: Shape, { child, lose }: KeywordContext): void {
  const patterns = schema['patternProperties'];
  if (isJsonObject(patterns) && Object.keys(patterns).length > 0) {
    const names = Object.keys(patterns).slice(0, 5);
    shape.notes.push(
      `further properties: names that match ${names.map((name) => clipped(name, 60)).join(' or ')}`,
    );
    shape.additional = eitherOf(Object.values(patterns).map((sub) => child(sub, '.*')));
    lose('which property names are allowed is described in text only');
  }
  if (isJsonObject(schema['propertyNames'])) {
    shape.notes.push(`property names fit ${clipped(schema['propertyNames'])}`);
    lose('the rule for property names is described in text only');
  }
}

function readArray(schema: JsonObject, shape: Shape, { child, lose }: KeywordContext): void {
  const { items, prefixItems, additionalItems } = schema;
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : null;
  if (tuple) {
    const rest = Array.isArray(items) ? additionalItems : items;
    const places = tuple.map((item, index) => child(item, `[${index}]`));
    const others = rest === false || rest === undefined ? [] : [child(rest, '[]')];
    shape.notes.push(`items in order: ${places.map(inWords).join(', ')}`);
    shape.items = eitherOf([...places, ...others]);
    if (rest === false) shape.limits.maxItems ??= tuple.length;
    lose('the order of the items is described in text only');
  } else if (isJsonObject(items)) shape.items = child(items, '[]');
  if (isJsonObject(schema['contains'])) {
    shape.notes.push(`has at least one item that fits ${clipped(schema['contains'])}`);
    lose('contains is described in text only');
  }
}

function inWords(shape: Shape): string {
  const types = shape.values ? shape.values.map((value) => clipped(JSON.stringify(value), 40)) : shape.types;
  const text = types.length > 0 ? types.join(' or ') : 'any';
  return shape.description === undefined ? text : `${text} (${clipped(shape.description, 60)})`;
}

/** Parts that apply only sometimes: what they add is shown as optional, the condition in words. */
function readConditions(schema: JsonObject, own: Shape, { child, lose }: KeywordContext): Shape {
  let shape = own;
  for (const word of ['then', 'else'] as const) {
    if ('if' in schema && isJsonObject(schema[word])) shape = withOptional(shape, child(schema[word], ''));
  }
  if ('if' in schema && (schema['then'] !== undefined || schema['else'] !== undefined)) {
    shape.notes.push(
      `if ${clipped(schema['if'])} then ${clipped(schema['then'] ?? true)} else ${clipped(schema['else'] ?? true)}`,
    );
    lose('if/then/else is described in text only');
  }
  const dependent = {
    ...asObject(schema['dependencies']),
    ...asObject(schema['dependentSchemas']),
    ...asObject(schema['dependentRequired']),
  };
  for (const [name, rule] of Object.entries(dependent)) {
    if (Array.isArray(rule)) shape.notes.push(`${name} needs ${rule.join(', ')}`);
    else if (isJsonObject(rule)) {
      shape = withOptional(shape, child(rule, ''));
      shape.notes.push(`with ${name}: ${clipped(rule)}`);
    }
    lose(`what ${name} depends on is described in text only`);
  }
  if (isJsonObject(schema['not']) && Object.keys(schema['not']).length > 0) {
    shape.notes.push(`not ${clipped(schema['not'])}`);
    lose('not is described in text only');
  }
  if (schema['unevaluatedProperties'] === false) lose('unevaluatedProperties is dropped');
  return shape;
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function withOptional(shape: Shape, extra: Shape): Shape {
  const properties = new Map(shape.properties);
  for (const [name, added] of extra.properties) {
    const before = properties.get(name);
    // A condition may narrow a property to a value: the property itself stays as wide as it was.
    if (!before) properties.set(name, added);
    else if (before.types.length === 0)
      properties.set(name, both(before, { ...anyShape(), types: added.types }));
  }
  const joined: Shape = { ...shape, properties, notes: [...shape.notes] };
  if (joined.additional === false) delete joined.additional;
  return joined;
}

function inferType(shape: Shape): void {
  if (shape.types.length > 0) return;
  if (shape.values) {
    const types = new Set(shape.values.map(typeOfValue).filter((type) => type !== 'null'));
    if (types.has('number')) types.delete('integer');
    shape.types = [...types];
  } else if (shape.properties.size > 0 || shape.additional !== undefined) shape.types = ['object'];
  else if (shape.items) shape.types = ['array'];
}
