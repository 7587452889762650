import type { JsonObject } from '@toolwright/machine/base/json.js';
import {
  boundedValues,
  describe,
  type Emitted,
  emitProperties,
  lost,
  type SchemaPosition,
  under,
} from './dialects.js';
import { addItems, addOthers, mergeInto, noRenames } from './renames.js';
import { clipped, type LimitName, type Shape, type TypeName } from './shape.js';

export interface JsonSchemaPosition extends SchemaPosition {
  /** Patterns that servers with constrained decoding can't take go into the description. */
  plainPatternsOnly: boolean;
}

/** The form OpenAI and Anthropic take: JSON Schema without references and without top-level choices. */
export function emitJsonSchema(shape: Shape, place: JsonSchemaPosition): Emitted {
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
  const inner = emitInner(shape, place);
  Object.assign(schema, inner.schema);
  if (shape.defaultValue !== undefined) schema['default'] = shape.defaultValue;
  return { schema: { ...describe(shape, notes), ...schema }, renames: inner.renames };
}

function emitChoice(shape: Shape, place: JsonSchemaPosition): Emitted {
  const renames = noRenames();
  const branches = shape.anyOf!.map((branch) => {
    const emitted = emitJsonSchema(branch, place);
    mergeInto(renames, emitted.renames);
    return emitted.schema;
  });
  if (shape.nullable) branches.push({ type: 'null' });
  const fallback = shape.defaultValue === undefined ? {} : { default: shape.defaultValue };
  return { schema: { ...describe(shape), anyOf: branches, ...fallback }, renames };
}

const limitsByType: Record<LimitName, readonly TypeName[]> = {
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  exclusiveMinimum: ['number', 'integer'],
  exclusiveMaximum: ['number', 'integer'],
  multipleOf: ['number', 'integer'],
  minLength: ['string'],
  maxLength: ['string'],
  minItems: ['array'],
  maxItems: ['array'],
  minProperties: ['object'],
  maxProperties: ['object'],
};

/** Only the limits that mean something for these types; others make some validators refuse the schema. */
function limitsFor(shape: Shape): JsonObject {
  if (!shape.uniqueItems && Object.keys(shape.limits).length === 0) return {};
  const entries = Object.entries(shape.limits).filter(
    ([name]) =>
      shape.types.length === 0 || limitsByType[name as LimitName].some((type) => shape.types.includes(type)),
  );
  return {
    ...Object.fromEntries(entries),
    ...(shape.uniqueItems && shape.types.includes('array') ? { uniqueItems: true } : {}),
  };
}

function patternFor(shape: Shape, place: JsonSchemaPosition): { pattern?: string; note?: string } {
  const { pattern } = shape;
  if (pattern === undefined) return {};
  if (isUsable(pattern) && (!place.plainPatternsOnly || isPlain(pattern))) return { pattern };
  lost(place, 'pattern is only said in words');
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

function emitInner(shape: Shape, place: JsonSchemaPosition): Emitted {
  const renames = noRenames();
  const schema: JsonObject = {};
  if (!shape.types.includes('array') && !shape.types.includes('object')) return { schema, renames };
  const emit = (child: Shape, at: SchemaPosition) => emitJsonSchema(child, { ...place, ...at });
  if (shape.types.includes('array')) {
    // OpenAI refuses an array that does not say what is in it.
    const items = shape.items ? emit(shape.items, under(place, '[]')) : { schema: {}, renames: noRenames() };
    schema['items'] = items.schema;
    addItems(renames, items.renames);
  }
  if (!shape.types.includes('object')) return { schema, renames };
  const inner = emitProperties(shape, place, emit);
  mergeInto(renames, inner.renames);
  if (inner.properties.length > 0 || place.path === '')
    schema['properties'] = Object.fromEntries(inner.properties);
  if (inner.required.length > 0) schema['required'] = inner.required;
  if (shape.additional === false) schema['additionalProperties'] = false;
  else if (typeof shape.additional === 'object') {
    const others = emit(shape.additional, under(place, '.*'));
    if (Object.keys(others.schema).length > 0) schema['additionalProperties'] = others.schema;
    addOthers(renames, others.renames);
  }
  return { schema, renames };
}
