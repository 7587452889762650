import type { JsonObject } from '@toolwright/machine/base/json.js';
import { fittedName } from '../wire/wire-names.js';
import { anyShape, clipped, type Loss, type Shape } from './shape.js';

/** The family of schema rules that a provider has. */
export type Dialect = 'openai' | 'anthropic' | 'gemini';

/** Position of a pass over a shape, with the losses and the new names found so far. */
export interface SchemaPosition {
  path: string;
  losses: Loss[];
  /** Wire names of the properties that were renamed, by their own. */
  renames: Map<string, string>;
  propertyName: RegExp;
}

export function under<P extends SchemaPosition>(place: P, step: string): P {
  return { ...place, path: `${place.path}${step}` };
}

export function lost({ path, losses }: SchemaPosition, what: string): void {
  losses.push({ path, what });
}

const MAX_VALUES = 500;
const MAX_VALUES_CHARACTERS = 16_000;

/** Description and notes as one text; empty where there is nothing to say. */
export function describe(shape: Shape, extra: readonly string[] = []): { description?: string } {
  if (shape.notes.length === 0 && extra.length === 0)
    return shape.description === undefined || shape.description === ''
      ? {}
      : { description: shape.description };
  const notes = [...new Set([...shape.notes, ...extra])];
  const remark = notes.length === 0 ? '' : `(${notes.join('; ')})`;
  const text = [shape.description ?? '', remark].filter((part) => part !== '').join(' ');
  return text === '' ? {} : { description: text };
}

/** Cuts a list of values that would fill the request by itself. */
export function boundedValues(
  values: readonly unknown[],
  place: SchemaPosition,
): { values?: unknown[]; note?: string } {
  const size = values.reduce((sum: number, value) => sum + (JSON.stringify(value)?.length ?? 0), 0);
  if (values.length <= MAX_VALUES && size <= MAX_VALUES_CHARACTERS) return { values: [...values] };
  lost(place, `the list of ${values.length} allowed values is described only in part`);
  const shown = values.slice(0, 20).map((value) => clipped(value, 40));
  return { note: `one of ${values.length} values: ${shown.join(', ')}, …` };
}

/** Every required name has a property, so that the model can see what it must give. */
function propertiesOf(shape: Shape): Map<string, Shape> {
  const properties = new Map(shape.properties);
  for (const name of shape.required) if (!properties.has(name)) properties.set(name, anyShape());
  return properties;
}

/** The properties of an object, under names the dialect takes, and those it must have. */
export function emitProperties(
  shape: Shape,
  place: SchemaPosition,
  emit: (shape: Shape, place: SchemaPosition) => JsonObject,
): JsonObject {
  const wireName = (name: string): string => {
    const wire = fittedName(name, place.propertyName);
    if (wire !== name) place.renames.set(name, wire);
    return wire;
  };
  const properties = [...propertiesOf(shape)].map(([name, property]) => [
    wireName(name),
    emit(property, under(place, `.${name}`)),
  ]);
  const emitted: JsonObject = {};
  if (properties.length > 0) emitted['properties'] = Object.fromEntries(properties);
  if (shape.required.size > 0) emitted['required'] = [...shape.required].map(wireName);
  return emitted;
}
