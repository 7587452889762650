import { anyShape, clipped, type LimitName, limitNames, type Shape, type TypeName } from './shape.js';

/** A shape for values that fit both (`allOf`); the looser one where the two can't be joined exactly. */
export function both(first: Shape, second: Shape): Shape {
  const [one, other] = [first.pattern, second.pattern];
  const notes = new Set([...first.notes, ...second.notes]);
  if (one !== undefined && other !== undefined && one !== other) notes.add(`also matches ${clipped(one)}`);
  return {
    types: commonTypes(first.types, second.types),
    nullable: isNullableInBoth(first, second),
    description: second.description ?? first.description,
    notes: [...notes],
    values: commonValues(first.values, second.values),
    properties: joinedProperties(first.properties, second.properties),
    required: new Set([...first.required, ...second.required]),
    items: first.items && second.items ? both(first.items, second.items) : (first.items ?? second.items),
    additional: commonAdditional(first, second),
    anyOf: commonAlternatives(first.anyOf, second.anyOf),
    limits: tighterLimits(first, second),
    pattern: other ?? one,
    format: second.format ?? first.format,
    defaultValue: second.defaultValue === undefined ? first.defaultValue : second.defaultValue,
    uniqueItems: first.uniqueItems || second.uniqueItems,
  };
}

/** A side without a type says nothing about null. */
function isNullableInBoth(first: Shape, second: Shape): boolean {
  const allows = ({ nullable, types }: Shape): boolean => nullable || types.length === 0;
  return allows(first) && allows(second) && (first.nullable || second.nullable);
}

function commonTypes(first: TypeName[], second: TypeName[]): TypeName[] {
  if (first.length === 0) return [...second];
  if (second.length === 0) return [...first];
  const common = new Set<TypeName>();
  for (const one of first) {
    for (const other of second) {
      if (one === other) common.add(one);
      else if ((one === 'integer' && other === 'number') || (one === 'number' && other === 'integer'))
        common.add('integer');
    }
  }
  return common.size > 0 ? [...common] : [...first];
}

function commonValues(first: unknown[] | undefined, second: unknown[] | undefined): unknown[] | undefined {
  if (!first || !second) return first ?? second;
  const keys = new Set(second.map((value) => JSON.stringify(value)));
  const common = first.filter((value) => keys.has(JSON.stringify(value)));
  return common.length > 0 ? common : first;
}

function joinedProperties(first: Map<string, Shape>, second: Map<string, Shape>): Map<string, Shape> {
  const joined = new Map(first);
  for (const [name, shape] of second) {
    const before = joined.get(name);
    joined.set(name, before ? both(before, shape) : shape);
  }
  return joined;
}

function commonAdditional(first: Shape, second: Shape): Shape['additional'] {
  // `additionalProperties: false` of one side does not know the properties of the other: it can't be kept.
  if (first.properties.size > 0 && second.properties.size > 0) {
    return typeof first.additional === 'object' ? first.additional : second.additional || undefined;
  }
  return first.additional ?? second.additional;
}

function commonAlternatives(first: Shape[] | undefined, second: Shape[] | undefined): Shape[] | undefined {
  if (!first || !second) return first ?? second;
  const pairs = first.flatMap((one) => second.map((other) => both(one, other)));
  return pairs.length <= 8 ? pairs : first;
}

const lower: readonly LimitName[] = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

function tighterLimits(first: Shape, second: Shape): Shape['limits'] {
  const limits: Shape['limits'] = {};
  for (const name of limitNames) {
    const one = first.limits[name];
    const other = second.limits[name];
    if (one === undefined && other === undefined) continue;
    if (one === undefined || other === undefined) limits[name] = (one ?? other)!;
    else if (name === 'multipleOf') limits[name] = other;
    else limits[name] = lower.includes(name) ? Math.max(one, other) : Math.min(one, other);
  }
  return limits;
}

/** Makes an object in place of a choice of objects: all properties, only the common ones required, the rule in words. */
export function oneObject(base: Shape, branches: Shape[]): Shape {
  const shape = both(base, { ...anyShape(), types: ['object'] });
  delete shape.anyOf;
  const names = new Set(branches.flatMap((branch) => [...branch.properties.keys()]));
  for (const name of names) {
    const offers = branches.flatMap((branch) => branch.properties.get(name) ?? []);
    const offered = eitherOf(offers);
    const own = shape.properties.get(name);
    shape.properties.set(name, own ? both(own, offered) : offered);
  }
  const [first, ...others] = branches;
  for (const name of first?.required ?? []) {
    if (others.every((branch) => branch.required.has(name))) shape.required.add(name);
  }
  if (branches.some((branch) => branch.additional !== false) || base.additional !== false)
    delete shape.additional;
  const rule = choiceInWords(branches, shape.required);
  if (rule !== null) shape.notes.push(rule);
  for (const branch of branches) {
    for (const note of branch.notes) if (!shape.notes.includes(note)) shape.notes.push(note);
  }
  return shape;
}

/** A shape for values that fit any of these (`anyOf`), in the shortest form. */
export function eitherOf(shapes: Shape[]): Shape {
  const distinct = [...new Map(shapes.map((shape) => [fingerprint(shape), shape])).values()];
  const [first] = distinct;
  if (!first) return anyShape();
  if (distinct.length === 1) return first;
  if (distinct.every((shape) => shape.values !== undefined && shape.properties.size === 0)) {
    const values = [
      ...new Map(distinct.flatMap((shape) => shape.values!).map((v) => [JSON.stringify(v), v])).values(),
    ];
    const descriptions = distinct.flatMap((shape) => shape.description ?? []);
    return {
      ...anyShape(),
      types: [...new Set(distinct.flatMap((shape) => shape.types))],
      nullable: distinct.some((shape) => shape.nullable),
      values,
      notes: valueNotes(distinct),
      description: descriptions.length === 1 ? descriptions[0]! : undefined,
    };
  }
  return { ...anyShape(), nullable: distinct.some((shape) => shape.nullable), anyOf: distinct };
}

/** `oneOf` of constants with a description each is how some write a documented enum. */
function valueNotes(shapes: Shape[]): string[] {
  const told = shapes.filter((shape) => shape.description !== undefined && shape.values?.length === 1);
  if (told.length < 2) return [];
  return [
    told.map((shape) => `${clipped(shape.values![0], 60)}: ${clipped(shape.description!, 120)}`).join('; '),
  ];
}

function choiceInWords(branches: Shape[], common: ReadonlySet<string>): string | null {
  if (branches.length < 2) return null;
  const sets = branches.map((branch) => {
    const fixed = [...branch.properties]
      .filter(([, shape]) => shape.values?.length === 1)
      .map(([name, shape]) => `${name} = ${clipped(JSON.stringify(shape.values![0]), 60)}`);
    const fixedNames = new Set(
      [...branch.properties].filter(([, s]) => s.values?.length === 1).map(([n]) => n),
    );
    const asked = [...branch.required].filter((name) => !common.has(name) && !fixedNames.has(name));
    return [fixed.join(', '), asked.join(' + ')].filter((text) => text !== '').join(' with ');
  });
  const told = [...new Set(sets.filter((text) => text !== ''))];
  if (told.length < 2) return null;
  const shown = told.slice(0, 12).join('; or ');
  return `give one of these: ${shown}${told.length > 12 ? '; …' : ''}`;
}

function fingerprint(shape: Shape): string {
  return JSON.stringify(shape, (_key, value: unknown) => {
    if (value instanceof Map) return [...value];
    return value instanceof Set ? [...value] : value;
  });
}
