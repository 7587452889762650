import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import type { RawCall } from '../model/model.js';
import type { Decision } from '../permission/decide.js';
import type { Permission } from '../permission/permission.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { prepareCall } from './prepare-call.js';

/** What would be decided about a call, and why. Nothing is run, planned or asked to find out. */
export interface Explanation extends Pick<Decision, 'decision' | 'reason' | 'considered'> {
  /** It would run apart from the workspace, and what it changes would be judged before it is kept. */
  staged: boolean;
  /** It would run without a question, which comes afterwards and is about what it changed, if anything. */
  askedAfter?: true;
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
  /** To find out whether commands can run apart here; without it they are taken to. */
  commands?: { shell: { staged: Pick<StagedRuns, 'possible'> } };
}

const TRIAL_LIMIT_MS = 60_000;

/** A call that would be refused before it is decided about is denied, with the words the model would get. */
export async function explainCall(
  call: RawCall,
  { registry, permission, host, commands }: ExplainParts,
): Promise<Explanation> {
  try {
    const { tool, effects: declared } = await prepareCall(call, registry);
    const effects = host && declared ? await withLinks(declared, host.files) : declared;
    const request = { tool: tool.name, effects };
    await permission.lookAround(request);
    const { decision, reason, considered, winner } = permission.decide(request);
    const manner = permission.mannerOf(request);
    const isApart =
      decision !== 'deny' && runsApart(effects) && (manner === 'staged' || manner === 'ask-first');
    const staged = isApart && (await canRunApart(commands));
    const askedAfter = decision === 'ask' && staged && manner === 'staged';
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

async function canRunApart(commands: ExplainParts['commands']): Promise<boolean> {
  const staging = await commands?.shell.staged.possible(AbortSignal.timeout(TRIAL_LIMIT_MS));
  return staging?.possible ?? true;
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

/** A command that may change something and ends before the call does. */
function runsApart(effects: readonly Effect[] | undefined): boolean {
  return (effects ?? []).some(
    (effect) => effect.kind === 'execute' && !effect.readOnly && !effect.background && !effect.unconfined,
  );
}
