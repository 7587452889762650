/** A schema in one form, whatever draft it was written in: no references, no `allOf`, no `oneOf`. */

export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

const numberLimits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;

/** Numeric limits that mean something for a type, in the order in which they are written. */
export const limitsOf = {
  number: numberLimits,
  integer: numberLimits,
  boolean: [],
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
} as const satisfies Record<TypeName, readonly string[]>;

export type LimitName = (typeof limitsOf)[TypeName][number];

export const limitNames: readonly LimitName[] = [...new Set(Object.values(limitsOf).flat())];

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
  /** The alternatives; at least one must fit, besides the rest of the shape. */
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

/** True if a shape has only types: no rule that would be lost by putting them into a list of types. */
export function isBareType({ types, ...others }: Shape): boolean {
  return (
    types.length > 0 &&
    isAny({ ...others, types: [] }) &&
    others.additional === undefined &&
    others.pattern === undefined &&
    others.format === undefined &&
    others.notes.length === 0 &&
    others.description === undefined &&
    Object.keys(others.limits).length === 0
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
