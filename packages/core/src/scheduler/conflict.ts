import { sep } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';

/** True when two calls must not run side by side. Unknown effects conflict with everything. */
export function conflict(left: readonly Effect[] | undefined, right: readonly Effect[] | undefined): boolean {
  if (left === undefined || right === undefined) return true;
  return left.some((one) => right.some((other) => effectsConflict(one, other)));
}

function effectsConflict(one: Effect, other: Effect): boolean {
  if (isExclusive(one) || isExclusive(other)) return true;
  const [onePath, otherPath] = [pathOf(one), pathOf(other)];
  const changes = isChange(one) || isChange(other);
  // A read-only command may read anything, so it waits for writers.
  if (one.kind === 'execute' || other.kind === 'execute') return changes;
  if (onePath === null || otherPath === null) return false;
  return changes && overlap(onePath, otherPath);
}

/** True for effects that can't be foreseen: any command not proven read-only, any foreign tool. */
function isExclusive(effect: Effect): boolean {
  return effect.kind === 'mcp' || (effect.kind === 'execute' && !effect.readOnly && !effect.background);
}

function isChange(effect: Effect): boolean {
  return effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory';
}

function pathOf(effect: Effect): string | null {
  return 'path' in effect ? effect.path : null;
}

function overlap(left: string, right: string): boolean {
  return left === right || left.startsWith(withSlash(right)) || right.startsWith(withSlash(left));
}

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : `${path}${sep}`;
}
