import { judgeEffects, type PermissionRequest, type PermissionState } from './decide.js';

/**
 * How a command is to be run. `proven`: it only reads, as it is. `read-only-mount`: plan mode, where it can change
 * nothing. `ask-first`: the decision on what it declares comes before anything runs. `staged`: it runs apart, and the
 * decision is about what it changed.
 */
export type CommandManner = 'proven' | 'read-only-mount' | 'ask-first' | 'staged';

export function mannerOf(state: PermissionState, request: PermissionRequest): CommandManner {
  const commands = (request.effects ?? []).filter((effect) => effect.kind === 'execute');
  const reachesOutside = request.effects?.some(({ kind }) => kind === 'outside') ?? false;
  if (reachesOutside || commands.some(({ network, background }) => network || background)) return 'ask-first';
  // A mode asks about changes once they are known, but about what is secret before it is read.
  const isAskedFirst = judgeEffects(state, request).some(
    ({ verdict, winner }) => verdict === 'ask' && (winner.kind === 'rule' || winner.class === 'secret'),
  );
  if (isAskedFirst) return 'ask-first';
  if (commands.every(({ readOnly }) => readOnly)) return 'proven';
  if (commands.some(({ unconfined }) => unconfined)) return 'ask-first';
  return state.mode === 'plan' ? 'read-only-mount' : 'staged';
}
