import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import type { CommandChanges } from '@toolwright/machine/changes/command-changes.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { programOnNetwork } from '@toolwright/machine/shell/findings.js';
import type { RawCall } from '../model/model.js';
import type { Decision, PermissionRequest } from '../permission/decide.js';
import type { Permission } from '../permission/permission.js';
import type { Verdict } from '../permission/rules.js';
import { networkReach } from '../permission/wording.js';
import type { AskHooks } from '../pieces/hooks/ask-hooks.js';
import { describeHook } from '../pieces/hooks/hook.js';
import type { SavedEntry } from '../session/journal.js';
import { openFalseClaims } from '../tools/definition/false-claims.js';
import type { Route } from '../tools/shell/call.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { exactEffects } from './exact-effects.js';
import { withFilesNamed } from './hooked-call.js';
import { followLinks, type PreparedCall, prepareCall } from './prepare-call.js';

/** The decision about a call, and why it would be taken. Nothing is run, planned or asked to find out. */
export interface Explanation extends Pick<Decision, 'decision' | 'reason' | 'considered'> {
  /** The route of a command; absent for a call that runs none, and for one that is denied. */
  route?: Route;
  /** The command would run on a copy, and its changes would be judged before they are kept. */
  staged: boolean;
  /** The question would come after the command, and be about its changes, if there are any. */
  askedAfter?: true;
  /** Nothing would be asked about ordinary files that the command writes and git ignores. */
  keepsIgnored?: true;
  /** Programs that reach for the network in a command without it, and the decision if the call asked for network. */
  withoutNetwork?: { programs: string[]; decisionWithNetwork: Verdict };
  /** Effects that the call declares, and the files behind links on the way; null where the tool does not say. */
  effects: Effect[] | null;
  /** Null where the call is refused before any rule is looked at. */
  winner: Decision['winner'] | null;
  /** Hooks that would be asked first; each may turn a yes into a question or a no. */
  hooks?: string[];
}

interface ExplainNeeds {
  registry: ToolRegistry;
  permission: Permission;
  /** Follows links; without it paths are judged as they are written. */
  host?: { files: Pick<Files, 'realPath'> };
  /** The state that remembers false claims of tools; without it every claim is believed. */
  state?: Pick<State, 'readJson' | 'updateJson'>;
  pieces?: { hooks: AskHooks | null };
  /** Finds out whether commands can be staged here; without it they are taken to be. */
  commands?: {
    shell: { staged: Pick<StagedRuns, 'possible'>; changes?: Pick<CommandChanges, 'keepsIgnored'> };
  };
}

const TRIAL_LIMIT_MS = 60_000;

/** A call that would be refused before it is decided about is denied, with the words the model would get. */
export async function explainCall(
  call: RawCall,
  { registry, permission, host, commands, state, pieces }: ExplainNeeds,
): Promise<Explanation> {
  try {
    const falseClaims = state && openFalseClaims(state);
    const prepared = await prepareCall(call, { registry, falseClaims });
    const { tool, effects: declared, falseClaim } = prepared;
    const effects = host && declared ? await followLinks(declared, host.files.realPath) : declared;
    const request = { tool: tool.name, effects, wasCaught: falseClaim !== undefined };
    await permission.refreshCodeInUse(request);
    const { decision, reason, considered, winner } = permission.decide(request);
    const route =
      decision === 'deny' ? null : await routeOfCall(tool.name, effects, { permission, commands });
    const isAskedAfter = decision === 'ask' && route?.kind === 'staged';
    return {
      decision,
      route: route ?? undefined,
      staged: route?.kind === 'staged' || (route?.kind === 'ask-first' && route.runs === 'staged'),
      askedAfter: isAskedAfter ? true : undefined,
      keepsIgnored: isAskedAfter ? keepsIgnored(considered, commands) : undefined,
      ...(route && withoutNetwork(request, permission)),
      ...(isAskedAfter ? questionAfterRun(request, permission) : { reason, winner }),
      effects: effects ?? null,
      considered,
      ...hooksAbout(prepared, registry, pieces?.hooks),
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

function hooksAbout(
  prepared: PreparedCall,
  registry: ToolRegistry,
  hooks: AskHooks | null = null,
): { hooks?: string[] } {
  const asked =
    hooks
      ?.wouldAsk('PreToolUse', withFilesNamed({ callId: '', prepared }, registry))
      .filter(({ isAsync }) => !isAsync) ?? [];
  return asked.length === 0 ? {} : { hooks: asked.map(describeHook) };
}

function withoutNetwork(
  { tool, effects = [] }: PermissionRequest,
  permission: Permission,
): Pick<Explanation, 'withoutNetwork'> {
  if (networkReach(effects) !== 'no') return {};
  const doubts = effects.flatMap((effect) => (effect.kind === 'execute' ? (effect.doubts ?? []) : []));
  const programs = doubts.flatMap((doubt) => programOnNetwork(doubt) ?? []);
  if (programs.length === 0) return {};
  const online = effects.map((effect) => (effect.kind === 'execute' ? { ...effect, network: true } : effect));
  const { decision } = permission.decide({ tool, effects: online });
  return { withoutNetwork: { programs, decisionWithNetwork: decision } };
}

/** The question that comes after the run, as far as the command line tells what it changes. */
function questionAfterRun(
  { tool, effects = [] }: PermissionRequest,
  permission: Permission,
): Pick<Decision, 'reason' | 'winner'> {
  const found = effects.flatMap((effect): Effect[] => {
    if (effect.kind === 'execute') return [{ ...effect, staged: true }];
    const { kind } = effect;
    return kind === 'write' || kind === 'delete' ? [{ kind, path: effect.path, staged: true }] : [];
  });
  const { decision, reason, winner } = permission.decide({ tool, effects: exactEffects(effects, found) });
  return decision === 'ask' ? { reason, winner } : permission.questionAboutChanges({ tool, effects });
}

/** A rule that asks may be about files that git ignores, which nobody knows before the command ran. */
function keepsIgnored(
  considered: Decision['considered'],
  commands: ExplainNeeds['commands'],
): true | undefined {
  const isSetting = commands?.shell.changes?.keepsIgnored ?? true;
  return isSetting && considered.every(({ verdict }) => verdict !== 'ask') ? true : undefined;
}

/** Null for a call that runs no command. */
async function routeOfCall(
  tool: string,
  effects: readonly Effect[] = [],
  { permission, commands }: Pick<ExplainNeeds, 'permission' | 'commands'>,
): Promise<Route | null> {
  if (!effects.some(({ kind }) => kind === 'execute')) return null;
  return permission.routeOf(
    { tool, effects },
    async () => (await commands?.shell.staged.possible(deadlineIn(TRIAL_LIMIT_MS))) ?? { possible: true },
  );
}

/** A call of an earlier session with the decision of then and that of the present rules. */
export interface ReplayedCall {
  callId: string;
  at: string;
  tool: string;
  args: Record<string, unknown>;
  /** Null where the program stopped before it was decided. */
  earlier: { decision: Verdict; reason: string; winner?: Decision['winner'] } | null;
  now: { decision: Verdict; reason: string; winner: Decision['winner'] | null };
  changes: boolean;
}

interface JournalledCall {
  start: SavedEntry & { type: 'call-start' };
  decision?: SavedEntry & { type: 'call-decision' };
  end?: SavedEntry & { type: 'call-end' };
}

/** Every call of a session against the present rules. Nothing is run: what was found out then is judged again. */
export async function replayDecisions(
  entries: readonly SavedEntry[],
  needs: ExplainNeeds,
): Promise<ReplayedCall[]> {
  const replayed: ReplayedCall[] = [];
  for (const call of pastCalls(entries)) {
    const { callId, at, tool, args } = call.start;
    const earlier = decidedThen(call);
    const now = await decidedNow(call, needs);
    // Hooks are not asked again: the present rules can't tell what a hook would say.
    const isOfHook = earlier?.winner?.kind === 'hook';
    const changes = earlier !== null && !isOfHook && earlier.decision !== now.decision;
    replayed.push({ callId, at, tool, args, earlier, now, changes });
  }
  return replayed;
}

function pastCalls(entries: readonly SavedEntry[]): JournalledCall[] {
  const calls = new Map<string, JournalledCall>();
  for (const entry of entries) {
    if (entry.type === 'call-start') calls.set(entry.callId, { start: entry });
    const call = 'callId' in entry ? calls.get(entry.callId) : undefined;
    // The last decision counts: a call that the user changed is decided again.
    if (call && entry.type === 'call-decision') call.decision = entry;
    if (call && entry.type === 'call-end') call.end = entry;
  }
  return [...calls.values()];
}

/** Null where the call ended before it was decided about; one that no tool took at all counts as refused. */
function decidedThen({ start, decision, end }: JournalledCall): ReplayedCall['earlier'] {
  if (decision) {
    const { decision: verdict, reason, winner } = decision;
    return { decision: verdict, reason, winner };
  }
  return end?.error && start.effects === null ? { decision: 'deny', reason: end.error.message } : null;
}

/** Changes of a command are in the journal, and count more than what its line declares. */
async function decidedNow(
  { start, decision }: JournalledCall,
  needs: ExplainNeeds,
): Promise<ReplayedCall['now']> {
  if (!decision) {
    const explained = await explainCall({ id: '', name: start.tool, arguments: start.args }, needs);
    return pick(explained);
  }
  const tool = needs.registry.getTool(start.tool)?.name ?? start.tool;
  const decide = (effects: readonly Effect[] | null): Decision =>
    needs.permission.decide({ tool, effects: effects ?? undefined });
  const declared = decide(start.effects);
  return pick(declared.decision === 'deny' || !decision.effects ? declared : decide(decision.effects));
}

function pick({ decision, reason, winner }: ReplayedCall['now']): ReplayedCall['now'] {
  return { decision, reason, winner };
}
