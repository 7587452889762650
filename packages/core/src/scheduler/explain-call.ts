import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import type { RawCall } from '../model/model.js';
import type { Decision } from '../permission/decide.js';
import type { Permission } from '../permission/permission.js';
import type { Route } from '../tools/shell/route.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { followLinks } from './follow-links.js';
import { prepareCall } from './prepare-call.js';

/** The decision about a call, and why it would be taken. Nothing is run, planned or asked to find out. */
export interface Explanation extends Pick<Decision, 'decision' | 'reason' | 'considered'> {
  /** The command would run on a copy, and its changes would be judged before they are kept. */
  staged: boolean;
  /** The question would come after the command, and be about its changes, if there are any. */
  askedAfter?: true;
  /** Effects that the call declares, and the files behind links on the way; null where the tool does not say. */
  effects: Effect[] | null;
  /** Null where the call is refused before any rule is looked at. */
  winner: Decision['winner'] | null;
}

export interface ExplainNeeds {
  registry: ToolRegistry;
  permission: Permission;
  /** Follows links; without it paths are judged as they are written. */
  host?: { files: Pick<Files, 'realPath'> };
  /** Finds out whether commands can be staged here; without it they are taken to be. */
  commands?: { shell: { staged: Pick<StagedRuns, 'possible'> } };
}

const TRIAL_LIMIT_MS = 60_000;

/** A call that would be refused before it is decided about is denied, with the words the model would get. */
export async function explainCall(
  call: RawCall,
  { registry, permission, host, commands }: ExplainNeeds,
): Promise<Explanation> {
  try {
    const { tool, effects: declared } = await prepareCall(call, registry);
    const effects = host && declared ? await followLinks(declared, host.files.realPath) : declared;
    const request = { tool: tool.name, effects };
    await permission.lookAround(request);
    const { decision, reason, considered, winner } = permission.decide(request);
    const route = decision === 'deny' ? null : await routeOf(tool.name, effects, { permission, commands });
    const staged = route?.kind === 'staged' || (route?.kind === 'ask-first' && route.runs === 'staged');
    const askedAfter = decision === 'ask' && route?.kind === 'staged';
    return {
      decision,
      staged,
      ...(askedAfter ? { askedAfter } : {}),
      reason,
      effects: effects ?? null,
      considered,
      winner,
    };
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

/** Null for a call that runs no command. */
async function routeOf(
  tool: string,
  effects: readonly Effect[] = [],
  { permission, commands }: Pick<ExplainNeeds, 'permission' | 'commands'>,
): Promise<Route | null> {
  if (!effects.some(({ kind }) => kind === 'execute')) return null;
  return permission.routeOf(
    { tool, effects },
    async () =>
      (await commands?.shell.staged.possible(AbortSignal.timeout(TRIAL_LIMIT_MS))) ?? { possible: true },
  );
}
