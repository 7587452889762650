import type { Effect } from '../base/effect.js';
import { isToolError } from '../base/errors.js';
import type { Files } from '../host/files.js';
import type { RawCall } from '../model/model.js';
import type { Decision } from '../permission/decide.js';
import type { Permission } from '../permission/permission.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { prepareCall } from './prepare-call.js';

/** What would be decided about a call, and why. Nothing is run, planned or asked to find out. */
export interface Explanation extends Pick<Decision, 'decision' | 'reason' | 'considered'> {
  /** It would run apart from the workspace, and what it changes would be judged before it is kept. */
  staged: boolean;
  /** What the call declares, and the files that links on the way lead to; null where the tool does not say. */
  effects: Effect[] | null;
  /** Null where the call is refused before any rule is looked at. */
  winner: Decision['winner'] | null;
}

export interface ExplainParts {
  registry: ToolRegistry;
  permission: Permission;
  /** To follow links; without it paths are judged as they are written. */
  host?: { files: Pick<Files, 'realPath'> };
}

/** A call that would be refused before it is decided about is denied, with the words the model would get. */
export async function explainCall(
  call: RawCall,
  { registry, permission, host }: ExplainParts,
): Promise<Explanation> {
  try {
    const { tool, effects: declared } = await prepareCall(call, registry);
    const effects = host && declared ? await withLinks(declared, host.files) : declared;
    const request = { tool: tool.name, effects };
    await permission.lookAround(request);
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

/** As the tools find it out when they plan: a rule about the file behind a link is about the call. */
async function withLinks(declared: readonly Effect[], files: Pick<Files, 'realPath'>): Promise<Effect[]> {
  // The paths of a command line are followed where the line is read, and may lie outside.
  if (declared.some(({ kind }) => kind === 'execute')) return [...declared];
  const effects: Effect[] = [];
  for (const effect of declared) {
    effects.push(effect);
    if (effect.kind !== 'read' && effect.kind !== 'write' && effect.kind !== 'delete') continue;
    const path = await files.realPath(effect.path);
    if (path !== effect.path) effects.push({ ...effect, path });
  }
  return effects;
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
