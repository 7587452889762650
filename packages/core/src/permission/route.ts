import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Route } from '../tools/shell/route.js';
import { type Decision, decide, judgeEffects, type PermissionState } from './decide.js';

export interface CommandRequest {
  tool: string;
  /** Effects of the call, as they were found without running it; one at least is a command. */
  effects: readonly Effect[];
}

type Command = Effect & { kind: 'execute' };

/** Decides how a command runs. `staging` is asked only where the answer matters, because the first time takes a trial. */
export async function routeOf(
  state: PermissionState,
  request: CommandRequest,
  staging: () => Promise<Staging>,
): Promise<Route> {
  const commands = request.effects.filter((effect) => effect.kind === 'execute');
  if (commands.some(({ background }) => background)) return { kind: 'job' };
  if (!isAskedFirst(state, request, commands)) {
    if (commands.every(({ readOnly }) => readOnly)) return { kind: 'direct' };
    const isConfined = commands.every(({ unconfined }) => unconfined === undefined);
    if (isConfined && state.mode === 'plan') return { kind: 'read-only' };
    if (isConfined && (await staging()).possible) return { kind: 'staged' };
  }
  if (commands.every(({ readOnly, onlyReads }) => readOnly || onlyReads))
    return { kind: 'ask-first', runs: 'read-only' };
  const answer = await staging();
  return answer.possible
    ? { kind: 'ask-first', runs: 'staged' }
    : { kind: 'ask-first', runs: 'in-workspace', why: answer.why };
}

/** A command that leaves the sandbox is asked about before it runs, and so is one that a rule or a secret asks about. */
function isAskedFirst(
  state: PermissionState,
  request: CommandRequest,
  commands: readonly Command[],
): boolean {
  if (request.effects.some(({ kind }) => kind === 'outside')) return true;
  if (commands.some(({ network }) => network)) return true;
  return judgeEffects(state, request).some(
    ({ verdict, winner }) => verdict === 'ask' && (winner.kind === 'rule' || winner.class === 'secret'),
  );
}

/**
 * Why a change of a command that was agreed to before anybody knew its changes is not kept, or null: that yes covers
 * what a mode asks about, but neither protected paths nor what a rule asks about or denies.
 */
export function refusalUnseen(
  state: PermissionState,
  { tool, effects }: CommandRequest,
  change: Effect,
): string | null {
  const commands = effects.flatMap((effect): Effect[] =>
    effect.kind === 'execute' ? [{ ...effect, network: false, background: false, staged: true }] : [],
  );
  const decision = decide(state, { tool, effects: [...commands, change] });
  return decision.decision === 'allow' || isCoveredByYes(decision) ? null : decision.reason;
}

function isCoveredByYes({ decision, winner }: Decision): boolean {
  return decision === 'ask' && winner.kind === 'mode' && winner.class !== 'protected';
}
