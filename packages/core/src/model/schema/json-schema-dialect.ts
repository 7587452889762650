import type { JsonObject } from '@toolwright/machine/base/json.js';
import { boundedValues, describe, emitProperties, lost, type SchemaPosition, under } from './dialects.js';
import { clipped, limitsOf, type Shape } from './shape.js';

export interface JsonSchemaPosition extends SchemaPosition {
  /** Patterns that servers with constrained decoding can't take go into the description. */
  plainPatternsOnly: boolean;
}

/** The form OpenAI and Anthropic take: JSON Schema without references and without top-level choices. */
export function emitJsonSchema(shape: Shape, place: JsonSchemaPosition): JsonObject {
  if (shape.anyOf) return emitChoice(shape, place);
  const notes: string[] = [];
  const schema: JsonObject = {};
  const types: string[] = [...shape.types, ...(shape.nullable && shape.types.length > 0 ? ['null'] : [])];
  if (types.length > 0) schema['type'] = types.length === 1 ? types[0] : types;
  if (shape.values) {
    const { values, note } = boundedValues(shape.values, place);
    if (values) schema['enum'] = shape.nullable ? [...values, null] : values;
    if (note !== undefined) notes.push(note);
  }
  Object.assign(schema, limitsFor(shape));
  if (shape.format !== undefined) schema['format'] = shape.format;
  const pattern = patternFor(shape, place);
  if (pattern.note !== undefined) notes.push(pattern.note);
  if (pattern.pattern !== undefined) schema['pattern'] = pattern.pattern;
  Object.assign(schema, emitInner(shape, place));
  if (shape.defaultValue !== undefined) schema['default'] = shape.defaultValue;
  return { ...describe(shape, notes), ...schema };
}

function emitChoice(shape: Shape, place: JsonSchemaPosition): JsonObject {
  const branches = shape.anyOf!.map((branch) => emitJsonSchema(branch, place));
  if (shape.nullable) branches.push({ type: 'null' });
  const fallback = shape.defaultValue === undefined ? {} : { default: shape.defaultValue };
  return { ...describe(shape), anyOf: branches, ...fallback };
}

/** Gives the limits that mean something for these types; others make some validators refuse the schema. */
function limitsFor(shape: Shape): JsonObject {
  if (!shape.uniqueItems && Object.keys(shape.limits).length === 0) return {};
  const fitting = new Set<string>(shape.types.flatMap((type) => limitsOf[type]));
  const entries = Object.entries(shape.limits).filter(
    ([name]) => shape.types.length === 0 || fitting.has(name),
  );
  const limits: JsonObject = Object.fromEntries(entries);
  if (shape.uniqueItems && shape.types.includes('array')) limits['uniqueItems'] = true;
  return limits;
}

function patternFor(shape: Shape, place: JsonSchemaPosition): { pattern?: string; note?: string } {
  const { pattern } = shape;
  if (pattern === undefined) return {};
  if (isUsable(pattern) && (!place.plainPatternsOnly || isPlain(pattern))) return { pattern };
  lost(place, 'pattern is described in text only');
  return { note: `matches ${clipped(pattern)}` };
}

function isUsable(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Anchored, without look-around, references to groups, or Unicode classes. */
function isPlain(pattern: string): boolean {
  return pattern.startsWith('^') && pattern.endsWith('$') && !/\(\?|\\[1-9pPkbB]/.test(pattern);
}

function emitInner(shape: Shape, place: JsonSchemaPosition): JsonObject {
  const schema: JsonObject = {};
  if (!shape.types.includes('array') && !shape.types.includes('object')) return schema;
  const emit = (child: Shape, at: SchemaPosition) => emitJsonSchema(child, { ...place, ...at });
  // OpenAI refuses an array that does not say what is in it.
  if (shape.types.includes('array'))
    schema['items'] = shape.items ? emit(shape.items, under(place, '[]')) : {};
  if (!shape.types.includes('object')) return schema;
  if (place.path === '') schema['properties'] = {};
  Object.assign(schema, emitProperties(shape, place, emit));
  if (shape.additional === false) schema['additionalProperties'] = false;
  else if (typeof shape.additional === 'object') {
    const others = emit(shape.additional, under(place, '.*'));
    if (Object.keys(others).length > 0) schema['additionalProperties'] = others;
  }
  return schema;
}
