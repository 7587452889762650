/** A schema in one form, whatever draft it was written in: no references, no `allOf`, no `oneOf`. */

export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

/** Numeric limits, copied as they are. */
export const limitNames = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

export type LimitName = (typeof limitNames)[number];

export interface Shape {
  /** Empty: any type. */
  types: TypeName[];
  nullable: boolean;
  description?: string;
  /** Rules no dialect has a place for, in words. */
  notes: string[];
  values?: unknown[];
  properties: Map<string, Shape>;
  required: Set<string>;
  additional?: boolean | Shape;
  items?: Shape;
  /** One of these must fit as well. */
  anyOf?: Shape[];
  limits: Partial<Record<LimitName, number>>;
  pattern?: string;
  format?: string;
  defaultValue?: unknown;
  uniqueItems?: boolean;
}

/** Something the compiled schema does not say that the original does. Arguments are checked against the original. */
export interface Loss {
  path: string;
  what: string;
}

export function anyShape(): Shape {
  return { types: [], nullable: false, notes: [], properties: new Map(), required: new Set(), limits: {} };
}

export function isAny(shape: Shape): boolean {
  return (
    shape.types.length === 0 &&
    shape.values === undefined &&
    shape.anyOf === undefined &&
    shape.properties.size === 0 &&
    shape.required.size === 0 &&
    shape.items === undefined
  );
}

/** Only a type, or nothing: no rule that would be lost by putting it into a list of types. */
export function isBareType(shape: Shape): boolean {
  return (
    shape.types.length > 0 &&
    shape.values === undefined &&
    shape.anyOf === undefined &&
    shape.properties.size === 0 &&
    shape.required.size === 0 &&
    shape.items === undefined &&
    shape.additional === undefined &&
    shape.pattern === undefined &&
    shape.format === undefined &&
    shape.notes.length === 0 &&
    shape.description === undefined &&
    Object.keys(shape.limits).length === 0
  );
}

export function typeOfValue(value: unknown): TypeName | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : (typeof value as TypeName);
}

export function clipped(value: unknown, limit = 200): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
