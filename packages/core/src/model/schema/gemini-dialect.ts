import type { JsonObject } from '@toolwright/machine/base/json.js';
import { boundedValues, describe, emitProperties, lost, type SchemaPosition, under } from './dialects.js';
import { anyShape, clipped, isAny, type Shape, type TypeName } from './shape.js';

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** The form Gemini takes: a part of OpenAPI 3.0 with upper-case types. */
export function emitGemini(shape: Shape, place: SchemaPosition): JsonObject {
  if (shape.anyOf) return emitChoice(shape, shape.anyOf, place);
  if (shape.types.length === 0) return emitChoice(shape, anything(shape), place);
  if (shape.types.length > 1) {
    const branches = shape.types.map((type) => narrowed(shape, type));
    return emitChoice({ ...shape, notes: [] }, branches, place);
  }
  return emitOne(shape, shape.types[0]!, place);
}

/** An untyped value: Gemini wants a type, so every type is offered. */
function anything(shape: Shape): Shape[] {
  const types: TypeName[] = ['string', 'number', 'boolean', 'object', 'array'];
  const items: Shape = { ...anyShape(), types: ['string'] };
  return types.map((type) => ({
    ...anyShape(),
    types: [type],
    items: type === 'array' ? items : undefined,
    defaultValue: shape.defaultValue,
  }));
}

function narrowed(shape: Shape, type: TypeName): Shape {
  const values = shape.values?.filter((value) => fits(value, type));
  return { ...shape, types: [type], nullable: false, values: values?.length ? values : undefined };
}

function fits(value: unknown, type: TypeName): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'object' ? typeof value === 'object' && !Array.isArray(value) : typeof value === type;
}

/** `anyOf` must stand alone, so what is said about the whole goes into each branch. */
function emitChoice(shape: Shape, branches: Shape[], place: SchemaPosition): JsonObject {
  const { description } = describe(shape);
  const emitted = branches.map((branch, index) => {
    const told = index === 0 && description !== undefined ? withText(branch, description) : branch;
    return emitGemini({ ...told, nullable: told.nullable || shape.nullable }, place);
  });
  const flat = emitted.flatMap((schema) =>
    Array.isArray(schema['anyOf']) ? (schema['anyOf'] as JsonObject[]) : [schema],
  );
  const distinct = [...new Map(flat.map((schema) => [JSON.stringify(schema), schema])).values()];
  return distinct.length === 1 ? distinct[0]! : { anyOf: distinct };
}

function withText(shape: Shape, text: string): Shape {
  const own = shape.description;
  return { ...shape, description: own === undefined || text.includes(own) ? text : `${text} ${own}` };
}

interface Writing {
  schema: JsonObject;
  type: TypeName;
  /** A rule that can only be said in words, and what is reported as lost. */
  say(note: string, what: string): void;
  /** Words that lose nothing. */
  add(note: string): void;
}

function emitOne(shape: Shape, type: TypeName, place: SchemaPosition): JsonObject {
  const notes: string[] = [];
  const schema: JsonObject = { type: type.toUpperCase() };
  const writing: Writing = {
    schema,
    type,
    add: (note) => notes.push(note),
    say: (note, what) => {
      notes.push(note);
      lost(place, what);
    },
  };
  if (shape.nullable) schema['nullable'] = true;
  emitValues(shape, place, writing);
  emitFormat(shape, writing);
  emitLimits(shape, writing);
  if (shape.defaultValue !== undefined) notes.push(`default ${clipped(JSON.stringify(shape.defaultValue))}`);
  emitInner(shape, place, writing);
  return { ...schema, ...describe(shape, notes) };
}

function emitValues(shape: Shape, place: SchemaPosition, { schema, type, add, say }: Writing): void {
  const fitting = shape.values?.filter((value) => fits(value, type)) ?? [];
  if (fitting.length === 0) return;
  const bounded = boundedValues(fitting, place);
  if (bounded.note !== undefined) add(bounded.note);
  if (!bounded.values) return;
  if (type !== 'string') {
    const shown = bounded.values.map((value) => clipped(JSON.stringify(value), 40)).join(', ');
    say(
      `one of ${clipped(shown, 400)}`,
      'only text can be limited to a list of values; the list is described in text',
    );
    return;
  }
  if (bounded.values.includes('')) {
    // The empty text is refused in a list, and a list without it would forbid it.
    const others = bounded.values.filter((value) => value !== '').join(', ');
    say(`empty, or one of ${clipped(others, 400)}`, 'a list with the empty text is described in text only');
    return;
  }
  schema['enum'] = bounded.values;
  schema['format'] = 'enum';
}

const numberFormats = ['float', 'double', 'int32', 'int64'];

function emitFormat(shape: Shape, { schema, type, say }: Writing): void {
  const { format, pattern } = shape;
  if (format !== undefined && schema['format'] === undefined) {
    const numeric = type === 'number' || type === 'integer';
    const known = type === 'string' ? format === 'date-time' : numeric && numberFormats.includes(format);
    if (known) schema['format'] = format;
    else say(`format ${clipped(format, 60)}`, `format ${clipped(format, 60)} is described in text only`);
  }
  if (pattern !== undefined && type === 'string')
    say(`matches ${clipped(pattern)}`, 'pattern is described in text only');
}

function emitLimits(shape: Shape, writing: Writing): void {
  const { limits } = shape;
  const { schema, type, say } = writing;
  const numeric = type === 'number' || type === 'integer';
  if (numeric) emitNumberLimits(shape, writing);
  if (type === 'array') {
    for (const name of ['minItems', 'maxItems'] as const) {
      const limit = limits[name];
      if (limit !== undefined) schema[name] = limit;
    }
    if (shape.uniqueItems) say('no item twice', 'uniqueItems is described in text only');
  }
  if (numeric && limits.multipleOf !== undefined)
    say(`a multiple of ${limits.multipleOf}`, 'multipleOf is described in text only');
  if (type === 'string') sayRange([limits.minLength, limits.maxLength], 'characters', say);
  if (type === 'object') sayRange([limits.minProperties, limits.maxProperties], 'properties', say);
}

function emitNumberLimits(shape: Shape, { schema, type, say }: Writing): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape.limits;
  const least = [minimum, exclusive(exclusiveMinimum, type, 1)].filter((value) => value !== undefined);
  const most = [maximum, exclusive(exclusiveMaximum, type, -1)].filter((value) => value !== undefined);
  if (least.length > 0) schema['minimum'] = Math.max(...least);
  if (most.length > 0) schema['maximum'] = Math.min(...most);
  if (type === 'number' && exclusiveMinimum !== undefined)
    say(`more than ${exclusiveMinimum}`, 'exclusiveMinimum is sent as minimum and described in text');
  if (type === 'number' && exclusiveMaximum !== undefined)
    say(`less than ${exclusiveMaximum}`, 'exclusiveMaximum is sent as maximum and described in text');
}

/** Between integers there is a next one; between other numbers there is none. */
function exclusive(limit: number | undefined, type: TypeName, step: 1 | -1): number | undefined {
  if (limit === undefined || type === 'number' || Math.abs(limit) >= MAX_INTEGER) return limit;
  return step === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1;
}

function sayRange([least, most]: (number | undefined)[], unit: string, say: Writing['say']): void {
  const what = `the number of ${unit} is described in text only`;
  if (least !== undefined && most !== undefined) say(`${least} to ${most} ${unit}`, what);
  else if (least !== undefined) say(`at least ${least} ${unit}`, what);
  else if (most !== undefined) say(`at most ${most} ${unit}`, what);
}

function emitInner(shape: Shape, place: SchemaPosition, { schema, type, say }: Writing): void {
  if (type === 'array')
    schema['items'] = emitGemini(shape.items ?? { ...anyShape(), types: ['string'] }, under(place, '[]'));
  if (type !== 'object') return;
  Object.assign(schema, emitProperties(shape, place, emitGemini));
  if (typeof shape.additional === 'object' && !isAny(shape.additional)) {
    const others = emitGemini(shape.additional, under(place, '.*'));
    say(
      `further properties are of the form ${clipped(others)}`,
      'additionalProperties is described in text only',
    );
  } else if (shape.additional === false) lost(place, 'additionalProperties: false is dropped');
}
