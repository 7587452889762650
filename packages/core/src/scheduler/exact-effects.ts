import type { Effect } from '@toolwright/machine/base/effect.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

type Change = Effect & { kind: 'write' | 'delete' };

/** What a plan found replaces what was declared of commands and changes; declared reads and targets stay. */
export function exactEffects(
  declared: readonly Effect[] | undefined,
  found: readonly Effect[],
): Effect[] | undefined {
  if (declared === undefined) return found.length > 0 ? [...found] : undefined;
  const exact = found.map((effect) =>
    isChange(effect) && isNamed(effect, declared) ? named(effect) : effect,
  );
  const listed = new Set(exact.map((effect) => JSON.stringify(effect)));
  const kept = declared.filter(({ kind }) => kind === 'read' || kind === 'network' || kind === 'mcp');
  return [...exact, ...kept.filter((effect) => !listed.has(JSON.stringify(effect)))];
}

function isChange(effect: Effect): effect is Change {
  return effect.kind === 'write' || effect.kind === 'delete';
}

function isNamed({ path }: Change, declared: readonly Effect[]): boolean {
  return declared.some(
    (other) => isChange(other) && other.declared !== 'purpose' && isInside(path, other.path),
  );
}

/** The command line itself names the file: a rule that allows the command does not allow this. */
function named(change: Change): Change {
  const { kind, path } = change;
  if (change.kind === 'delete') return { kind, path };
  const { ignored, leaves } = change;
  return { kind: 'write', path, ...(ignored ? { ignored } : {}), ...(leaves ? { leaves } : {}) };
}
