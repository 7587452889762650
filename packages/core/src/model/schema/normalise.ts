import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { both, eitherOf } from './combine.js';
import { readKeywords } from './keywords.js';
import { resolveReference } from './references.js';
import { anyShape, clipped, isBareType, type Loss, type Shape } from './shape.js';

/** The schema can't be put into words a model could follow; the message says why. */
export class SchemaProblem extends Error {}

class TooLarge extends Error {}

interface SchemaReading {
  root: unknown;
  losses: Loss[];
  /** References being followed, with how often each is on the way. */
  open: Map<string, number>;
  /** Number of levels a schema that contains itself is followed before it is cut. */
  unfoldings: number;
  parts: number;
}

const MAX_PARTS = 1500;
const MAX_DEPTH = 24;

/** Brings any draft to one form. References are put in place; one that contains itself is cut after a few levels. */
export function normalise(schema: unknown): { shape: Shape; losses: Loss[] } {
  for (const unfoldings of [3, 2, 1]) {
    const reading: SchemaReading = { root: schema, losses: [], open: new Map(), unfoldings, parts: 0 };
    try {
      return { shape: read(schema, { reading, path: '', depth: 1 }), losses: reading.losses };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  throw new SchemaProblem(`its schema unfolds to more than ${MAX_PARTS} parts`);
}

interface Spot {
  reading: SchemaReading;
  path: string;
  depth: number;
}

function read(schema: unknown, spot: Spot): Shape {
  if (++spot.reading.parts > MAX_PARTS) throw new TooLarge();
  if (schema === true || schema === undefined) return anyShape();
  if (!isJsonObject(schema)) {
    lose(spot, `${clipped(schema, 40)} is not a schema; any value is shown as allowed`);
    return anyShape();
  }
  if (spot.depth > MAX_DEPTH) {
    lose(spot, 'nested too deep; any value is shown as allowed');
    return anyShape();
  }
  const reference = schema['$ref'] ?? schema['$dynamicRef'] ?? schema['$recursiveRef'];
  if (typeof reference === 'string') return readReference(schema, reference, spot);
  const own = readKeywords(schema, {
    child: (sub, step) =>
      read(sub, {
        reading: spot.reading,
        path: spot.path + step,
        depth: step === '' ? spot.depth : spot.depth + 1,
      }),
    lose: (what) => lose(spot, what),
  });
  return readCombinations(schema, own, spot);
}

function readReference(schema: JsonObject, reference: string, spot: Spot): Shape {
  const { reading } = spot;
  const resolved = resolveReference(reading.root, reference);
  if (!resolved.found)
    throw new SchemaProblem(`its schema refers to ${clipped(reference)}, which is not in it`);
  const { $ref, $dynamicRef, $recursiveRef, $defs, definitions, ...siblings } = schema;
  const depth = reading.open.get(reference) ?? 0;
  if (depth >= reading.unfoldings) {
    lose(spot, `${reference} contains itself; it is shown ${reading.unfoldings} levels deep`);
    return cutShape(resolved.schema, reference);
  }
  reading.open.set(reference, depth + 1);
  const target = read(resolved.schema, spot);
  reading.open.set(reference, depth);
  return Object.keys(siblings).length === 0 ? target : both(target, read(siblings, spot));
}

function cutShape(schema: unknown, reference: string): Shape {
  const name = reference.split('/').pop() || 'the outermost one';
  const shape = anyShape();
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  if (type === 'object' || type === 'array') shape.types = [type];
  shape.notes.push(`nested further in the same way (${clipped(name, 60)})`);
  return shape;
}

function readCombinations(schema: JsonObject, own: Shape, spot: Spot): Shape {
  let shape = own;
  const parts = schema['allOf'];
  if (Array.isArray(parts)) for (const part of parts) shape = both(shape, read(part, spot));
  for (const word of ['anyOf', 'oneOf'] as const) {
    const branches = schema[word];
    if (Array.isArray(branches) && branches.length > 0) shape = readChoice(shape, branches, spot);
  }
  return shape;
}

function readChoice(own: Shape, branches: unknown[], spot: Spot): Shape {
  const possible = branches.filter((branch) => branch !== false && !isNullType(branch));
  const nullable = own.nullable || branches.some(isNullType);
  const shapes = possible.map((branch) => read(branch, spot));
  if (shapes.length === 0) return { ...own, nullable: true };
  if (shapes.every(isOnlyRequired)) return withRequiredNote(own, shapes, spot);
  if (shapes.every(isBareType) && own.types.length === 0 && own.values === undefined && !own.anyOf) {
    const innerNull = shapes.some((shape) => shape.nullable);
    return {
      ...own,
      types: [...new Set(shapes.flatMap(({ types }) => types))],
      nullable: nullable || innerNull,
    };
  }
  return joinChoice(own, shapes, nullable);
}

/** Descriptions of the whole stay with the whole; its rules go into every branch. */
function joinChoice(own: Shape, shapes: Shape[], nullable: boolean): Shape {
  const { description, notes, defaultValue, ...rules } = own;
  const joined = eitherOf(shapes.map((branch) => both({ ...rules, notes: [] }, branch)));
  const annotated: Shape = {
    ...joined,
    nullable: nullable || joined.nullable,
    notes: [...notes, ...joined.notes],
    defaultValue: defaultValue === undefined ? joined.defaultValue : defaultValue,
  };
  if (description === undefined) return annotated;
  const inner = annotated.description;
  const told = inner === undefined || inner === description ? description : `${description} ${inner}`;
  return { ...annotated, description: told };
}

function isNullType(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  return schema['type'] === 'null' || ('const' in schema && schema['const'] === null);
}

function isOnlyRequired(shape: Shape): boolean {
  return shape.required.size > 0 && shape.properties.size === 0 && shape.values === undefined && !shape.anyOf;
}

function withRequiredNote(own: Shape, branches: Shape[], spot: Spot): Shape {
  const sets = branches.map((branch) => [...branch.required].join(' + '));
  lose(spot, 'which parameters go together is described in text only');
  return { ...own, notes: [...own.notes, `give at least one of these: ${sets.slice(0, 20).join('; ')}`] };
}

function lose({ reading, path }: Spot, what: string): void {
  if (!reading.losses.some((loss) => loss.path === path && loss.what === what)) {
    reading.losses.push({ path, what });
  }
}
