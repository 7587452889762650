import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** Property names that were changed, level by level. */
export interface Renames {
  /** Own name to wire name. */
  forward: Map<string, string>;
  backward: Map<string, string>;
  /** By own name. */
  children: Map<string, Renames>;
  others?: Renames;
  items?: Renames;
}

export function noRenames(): Renames {
  return { forward: new Map(), backward: new Map(), children: new Map() };
}

export function isEmpty(renames: Renames): boolean {
  return renames.forward.size === 0 && renames.children.size === 0 && !renames.others && !renames.items;
}

export function addRename(renames: Renames, own: string, wire: string): void {
  renames.forward.set(own, wire);
  renames.backward.set(wire, own);
}

export function addChild(renames: Renames, own: string, child: Renames): void {
  if (isEmpty(child)) return;
  const before = renames.children.get(own);
  if (before) mergeInto(before, child);
  else renames.children.set(own, child);
}

export function addItems(renames: Renames, child: Renames): void {
  if (isEmpty(child)) return;
  if (renames.items) mergeInto(renames.items, child);
  else renames.items = child;
}

export function addOthers(renames: Renames, child: Renames): void {
  if (isEmpty(child)) return;
  if (renames.others) mergeInto(renames.others, child);
  else renames.others = child;
}

/** The branches of a choice share one table: a wire name carries a hash of its own name, so none can clash. */
export function mergeInto(target: Renames, added: Renames): void {
  for (const [own, wire] of added.forward) addRename(target, own, wire);
  for (const [own, child] of added.children) addChild(target, own, child);
  if (added.items) addItems(target, added.items);
  if (added.others) addOthers(target, added.others);
}

export function toWire(renames: Renames, value: unknown): unknown {
  return walk(renames, value, 'forward');
}

export function fromWire(renames: Renames, value: unknown): unknown {
  return walk(renames, value, 'backward');
}

function walk(renames: Renames, value: unknown, direction: 'forward' | 'backward'): unknown {
  if (Array.isArray(value)) {
    const { items } = renames;
    return items ? value.map((item) => walk(items, item, direction)) : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const changed = renames[direction].get(key) ?? key;
    const own = direction === 'forward' ? key : changed;
    const child = renames.children.get(own) ?? renames.others;
    return [changed, child ? walk(child, item, direction) : item];
  });
  return Object.fromEntries(entries) as JsonObject;
}
