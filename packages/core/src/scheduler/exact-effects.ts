import type { Effect } from '@toolwright/machine/base/effect.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { ConfirmationDetails } from '../tools/tools.js';

type Change = Effect & { kind: 'write' | 'delete' };

/** Effects that a plan found replace the declared commands and changes; declared reads and targets stay. */
export function exactEffects(
  declared: readonly Effect[] | undefined,
  found: readonly Effect[],
): Effect[] | undefined {
  if (declared === undefined) return found.length > 0 ? [...found] : undefined;
  const exact = found.map((effect) =>
    isChange(effect) && isNamed(effect, declared) ? named(effect) : effect,
  );
  const listed = new Set(exact.map((effect) => JSON.stringify(effect)));
  const kept = declared.filter((effect) => !isReplaceable(effect));
  return [...exact, ...kept.filter((effect) => !listed.has(JSON.stringify(effect)))];
}

/** A plan finds what a call changes, not what it reads or reaches. */
function isReplaceable({ kind }: Effect): boolean {
  return kind !== 'read' && kind !== 'network' && kind !== 'mcp';
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
  return { kind: 'write', path, ignored, leaves };
}

/**
 * The effects that a call is judged by once its details are there. Only those of a plan can replace declared ones: else the
 * details of a question that leaves out what the tool declares would take the question away.
 */
export function effectsOfPlan(
  declared: readonly Effect[] | undefined,
  details: ConfirmationDetails,
  { isBuiltin }: { isBuiltin: boolean },
): Effect[] | undefined {
  const found = details.effects;
  if (isPlan(details, isBuiltin)) return exactEffects(declared, found);
  if (declared === undefined) return undefined;
  const listed = new Set(declared.map((effect) => JSON.stringify(effect)));
  return [...declared, ...found.filter((effect) => !listed.has(JSON.stringify(effect)))];
}

/** Declared effects other than reading that the details of a question leave out, although they are not those of a plan. */
export function leftOutEffects(declared: readonly Effect[], details: ConfirmationDetails): Effect[] {
  if (isPlan(details, details.kind === 'edit')) return [];
  return declared.filter(
    (effect) => effect.kind !== 'read' && !details.effects.some((listed) => isSameTarget(listed, effect)),
  );
}

/** A plan without any change is believed only of tools that plan with our own machinery. */
function isPlan(details: ConfirmationDetails, mayBeEmpty: boolean): boolean {
  if (details.kind !== 'edit' && details.kind !== 'exec') return false;
  if (details.effects.some(isReplaceable)) return true;
  return mayBeEmpty && (details.diff?.files.length ?? 0) === 0;
}

function isSameTarget(left: Effect, right: Effect): boolean {
  if (left.kind !== right.kind) return false;
  return !('path' in left && 'path' in right) || left.path === right.path;
}
