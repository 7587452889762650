import { isAbsolute } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { nearest } from '@toolwright/machine/base/nearest.js';

/** The members each kind of effect must have as text. */
const KINDS: Record<Effect['kind'], readonly string[]> = {
  read: ['path'],
  write: ['path'],
  delete: ['path'],
  memory: ['path'],
  execute: ['command', 'directory'],
  network: ['host'],
  mcp: ['server', 'tool'],
  outside: ['access'],
};

/**
 * Null when a tool may declare this; else what is wrong with it, as part of a sentence. A wrong effect must not pass:
 * rules would be asked about a place that the call does not touch.
 */
export function effectsProblem(declared: unknown): string | null {
  if (declared === undefined) return null;
  if (!Array.isArray(declared)) return `its effects are ${kindOf(declared)} instead of a list`;
  for (const [index, effect] of declared.entries()) {
    const problem = effectProblem(effect);
    if (problem !== null) return `its effect ${index + 1} ${problem}`;
  }
  return null;
}

function effectProblem(effect: unknown): string | null {
  if (!isJsonObject(effect)) return `is ${kindOf(effect)} instead of an object`;
  const { kind } = effect;
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) return `has ${unknownKind(kind)}`;
  const missing = KINDS[kind as Effect['kind']].find((member) => typeof effect[member] !== 'string');
  if (missing !== undefined) return `of kind ${kind} has no ${missing}`;
  return pathProblem(effect);
}

function pathProblem({ kind, path }: JsonObject): string | null {
  if (typeof path !== 'string' || isAbsolute(path)) return null;
  return `of kind ${kind} names ${JSON.stringify(path)}, which is not an absolute path (host.workspace.resolve makes one)`;
}

function unknownKind(kind: unknown): string {
  const known = Object.keys(KINDS);
  const [near] = typeof kind === 'string' ? nearest(kind, known, 1) : [];
  return `no known kind: ${JSON.stringify(kind)}${near ? `; did you mean ${near}` : ` is none of ${known.join(', ')}`}`;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`;
}
