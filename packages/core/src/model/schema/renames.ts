import { isJsonObject } from '@toolwright/machine/base/json.js';

/** Names of properties that the provider does not take, and those it gets. A hash of the own name is part of a wire name, so one table serves every level. */
export interface Renames {
  /** Own name to wire name. */
  forward: ReadonlyMap<string, string>;
  backward: ReadonlyMap<string, string>;
}

export function renamesOf(forward: ReadonlyMap<string, string>): Renames | null {
  if (forward.size === 0) return null;
  return { forward, backward: new Map([...forward].map(([own, wire]) => [wire, own])) };
}

export function toWire({ forward }: Renames, value: unknown): unknown {
  return renamed(value, forward);
}

export function fromWire({ backward }: Renames, value: unknown): unknown {
  return renamed(value, backward);
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [names.get(key) ?? key, renamed(item, names)]);
  return Object.fromEntries(entries);
}
