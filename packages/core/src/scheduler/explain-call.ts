import type { Effect } from '../base/effect.js';
import { isToolError } from '../base/errors.js';
import type { RawCall } from '../model/model.js';
import type { Decision } from '../permission/decide.js';
import type { Permission } from '../permission/permission.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { prepareCall } from './prepare-call.js';

/** What would be decided about a call, and why. Nothing is run, planned or asked to find out. */
export interface Explanation extends Pick<Decision, 'decision' | 'reason' | 'considered'> {
  /** It would run apart from the workspace, and what it changes would be judged before it is kept. */
  staged: boolean;
  /** What the call declares; null where the tool does not say. */
  effects: Effect[] | null;
  /** Null where the call is refused before any rule is looked at. */
  winner: Decision['winner'] | null;
}

export interface ExplainParts {
  registry: ToolRegistry;
  permission: Permission;
}

/** A call that would be refused before it is decided about is denied, with the words the model would get. */
export async function explainCall(
  call: RawCall,
  { registry, permission }: ExplainParts,
): Promise<Explanation> {
  try {
    const { tool, effects } = await prepareCall(call, registry);
    const request = { tool: tool.name, effects };
    const { decision, reason, considered, winner } = permission.decide(request);
    const staged = decision !== 'deny' && runsApart(effects) && isStagedIn(permission.mannerOf(request));
    return { decision, staged, reason, effects: effects ?? null, considered, winner };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return {
      decision: 'deny',
      staged: false,
      reason: error.message,
      effects: [],
      considered: [],
      winner: null,
    };
  }
}

function isStagedIn(manner: ReturnType<Permission['mannerOf']>): boolean {
  return manner === 'staged' || manner === 'ask-first';
}

/** A command that may change something and ends before the call does. */
function runsApart(effects: readonly Effect[] | undefined): boolean {
  return (effects ?? []).some(
    (effect) => effect.kind === 'execute' && !effect.readOnly && !effect.background && !effect.unconfined,
  );
}
