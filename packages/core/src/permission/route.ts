import type { Effect } from '@toolwright/machine/base/effect.js';
import type { Staging } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Route } from '../tools/shell/call.js';
import { type EffectJudgement, judgeEffects, type PermissionState, type Winner } from './decide.js';
import type { EffectClass } from './modes.js';

export interface CommandRequest {
  tool: string;
  /** Effects of the call, as they were found without running it; one at least is a command. */
  effects: readonly Effect[];
}

/** Decides how a command runs. `staging` is asked only where the answer matters, because the first time takes a trial. */
export async function routeOf(
  state: PermissionState,
  request: CommandRequest,
  staging: () => Promise<Staging>,
): Promise<Route> {
  const commands = request.effects.filter((effect) => effect.kind === 'execute');
  if (commands.some(({ background }) => background)) return { kind: 'job' };
  if (!judgeEffects(state, request).some(isAskedFirst)) {
    if (commands.every(({ readOnly }) => readOnly)) return { kind: 'direct' };
    if (state.mode === 'plan') return { kind: 'read-only' };
    if ((await staging()).possible) return { kind: 'staged' };
  }
  if (commands.every(({ readOnly, onlyReads }) => readOnly || onlyReads))
    return { kind: 'ask-first', runs: 'read-only' };
  const answer = await staging();
  return answer.possible
    ? { kind: 'ask-first', runs: 'staged' }
    : { kind: 'ask-first', runs: 'in-workspace', why: answer.why };
}

/** Classes of commands that leave the sandbox: what there is to ask about them is asked before they run. */
const leavesSandbox: ReadonlySet<EffectClass> = new Set(['outside', 'shell-asked-first', 'shell-unconfined']);

function isAskedFirst({ verdict, winner, class: effectClass }: EffectJudgement): boolean {
  if (leavesSandbox.has(effectClass)) return true;
  return verdict === 'ask' && (winner.kind === 'rule' || effectClass === 'secret');
}

/**
 * Why a change of a command that was agreed to before anybody knew its changes is not kept, or null: that yes covers
 * what a mode asks about and the rules that asked about the command itself, but neither protected paths nor what another
 * rule asks about or denies.
 */
export function refusalOfUnseenChange(
  state: PermissionState,
  { tool, effects }: CommandRequest,
  change: Effect,
): string | null {
  const commands = effects.flatMap((effect): Effect[] =>
    effect.kind === 'execute' ? [{ ...effect, network: false, background: false, staged: true }] : [],
  );
  const judgements = judgeEffects(state, { tool, effects: [...commands, change] });
  const ofChange = judgements.at(-1)!;
  const answered = judgements.slice(0, -1).flatMap(({ winner }) => ruleOf(winner) ?? []);
  return ofChange.verdict === 'allow' || isCoveredByYes(ofChange, answered) ? null : ofChange.reason;
}

function isCoveredByYes(
  { verdict, winner, class: of }: EffectJudgement,
  answered: readonly string[],
): boolean {
  if (verdict !== 'ask' || of === 'protected') return false;
  const rule = ruleOf(winner);
  return rule === null || answered.includes(rule);
}

function ruleOf(winner: Winner): string | null {
  return winner.kind === 'rule' ? winner.rule : null;
}
