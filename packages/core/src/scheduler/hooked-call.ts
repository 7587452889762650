import { textOf } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { RawCall } from '../model/model.js';
import type { AskedHook, HookedTool } from '../pieces/hooks/ask-about-tool.js';
import { contextOf, messagesOf } from '../pieces/hooks/ask-hooks.js';
import { describeHook } from '../pieces/hooks/hook.js';
import { isRename, type NamedTool } from '../pieces/hooks/hook-names.js';
import type { CallRecord } from '../session/call-record.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ToolResult } from '../tools/tools.js';
import type { CallNeeds, SchedulerOptions } from './call.js';
import { type PreparedCall, prepareCall } from './prepare-call.js';
import { refuse, type Settled } from './refusal.js';
import { confirmationDetails } from './run-tool.js';

interface HookedCall {
  callId: string;
  prepared: PreparedCall;
}

type HookedNeeds = Pick<SchedulerOptions, 'registry' | 'falseClaims' | 'record' | 'hooks' | 'sayOfHooks'>;

/** True when a hook will be asked about the call: what it does is known only after that. */
export function isHooked({ tool, params, by }: PreparedCall, { hooks, registry }: HookedNeeds): boolean {
  const about = hooks?.about('PreToolUse', namedTool({ tool, params }, registry)) ?? [];
  return by !== 'user' && about.some(({ isAsync }) => !isAsync);
}

function namedTool(
  { tool: { name }, params }: Pick<PreparedCall, 'tool' | 'params'>,
  registry: Pick<ToolRegistry, 'find'>,
): NamedTool {
  const origin = registry.find(name)?.origin;
  return origin?.kind === 'mcp'
    ? { name, params, server: { alias: origin.server, tool: origin.bareName } }
    : { name, params };
}

function hookedTool({ callId, prepared }: HookedCall, registry: Pick<ToolRegistry, 'find'>): HookedTool {
  const { params, files } = prepared;
  return { ...namedTool(prepared, registry), callId, params, files };
}

/** A call as hooks would be asked about it, without a plan: the files of a rename are not known. Throws for arguments that make no call. */
export async function sampleForHooks(call: RawCall, registry: ToolRegistry): Promise<HookedTool> {
  return withFilesNamed({ callId: call.id, prepared: await prepareCall(call, { registry }) }, registry);
}

/** The same of a call that was checked. */
export function withFilesNamed({ callId, prepared }: HookedCall, registry: ToolRegistry): HookedTool {
  const files = filesNamedBy(prepared, registry);
  return hookedTool({ callId, prepared: { ...prepared, files: files ?? [] } }, registry);
}

/** The files of a patch, and the places that several files are read from. */
function filesNamedBy(
  { tool, effects }: PreparedCall,
  registry: Pick<ToolRegistry, 'find'>,
): string[] | undefined {
  if (registry.find(tool.name)?.origin.kind !== 'builtin') return undefined;
  if (tool.name === 'read_many_files') return pathsOf(effects, ['read']);
  return tool.name === 'apply_patch' ? pathsOf(effects, changes) : undefined;
}

/**
 * The call with the files that it is about, where its parameters do not name one: a patch has them in its text, a reading of
 * several in a list, a rename in its plan, which is made here and shared by all that follows.
 */
async function withFiles(
  { callId, prepared }: HookedCall,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<PreparedCall> {
  const { tool, params } = prepared;
  const isBuiltin = needs.registry.find(tool.name)?.origin.kind === 'builtin';
  const files = filesNamedBy(prepared, needs.registry);
  if (files !== undefined) return { ...prepared, files };
  if (!isBuiltin || !isRename({ name: tool.name, params })) return prepared;
  const details = await confirmationDetails({ callId, prepared }, needs, signal);
  return { ...prepared, files: pathsOf(details ? details.effects : undefined, changes) };
}

const changes: readonly Effect['kind'][] = ['write', 'delete'];

function pathsOf(effects: readonly Effect[] = [], kinds: readonly Effect['kind'][]): string[] {
  const meant = effects.filter(({ kind }) => kinds.includes(kind));
  return [...new Set(meant.flatMap((effect) => ('path' in effect ? effect.path : [])))];
}

/**
 * Asks the hooks before anything is decided or asked. They can only narrow: a no ends the call, a question is asked whatever the
 * rules say, changed arguments go through all checks anew, and a yes is silence.
 */
export async function askHooksBefore(
  { callId, prepared: first }: HookedCall,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<{ prepared: PreparedCall } | Settled> {
  const { hooks, registry } = needs;
  if (!hooks || !isAskedAbout(first, needs)) return { prepared: first };
  const prepared = await withFiles({ callId, prepared: first }, needs, signal);
  const hooked = hookedTool({ callId, prepared }, registry);
  const calls = new Map([[hooked, prepared]]);
  let problem: unknown;
  const changed = async (input: Record<string, unknown>): Promise<HookedTool | null> => {
    try {
      const next = await withInput(input, { callId, prepared }, needs, signal);
      const tool = hookedTool({ callId, prepared: next }, registry);
      calls.set(tool, next);
      return tool;
    } catch (error) {
      problem = error;
      return null;
    }
  };
  const { answers, tool } = await hooks.aboutTool('PreToolUse', hooked, signal, { changed });
  await settle(callId, answers, needs);
  if (tool === null) throw problem;
  return narrowedBy(answers, { callId, prepared: calls.get(tool)! }, needs);
}

function isAskedAbout(prepared: PreparedCall, { hooks, registry }: HookedNeeds): boolean {
  const named = namedTool(prepared, registry);
  const events = ['PreToolUse', 'PostToolUse'] as const;
  return prepared.by !== 'user' && events.some((event) => hooks!.about(event, named).length > 0);
}

async function narrowedBy(
  answers: readonly AskedHook[],
  { callId, prepared }: HookedCall,
  needs: HookedNeeds,
): Promise<{ prepared: PreparedCall } | Settled> {
  const denied = answers.find(({ decision }) => decision === 'deny');
  if (denied) {
    const reason = `the hook ${describeHook(denied.hook)} says no: ${withoutFullStop(denied.reason)}`;
    await needs.record({ type: 'call-decision', callId, decision: 'deny', reason, winner: winnerOf(denied) });
    return { ...refuse({ by: 'rule', reason }), stopped: stoppedBy(answers) };
  }
  const asks = answers.find(({ decision }) => decision === 'ask');
  return {
    prepared: asks
      ? {
          ...prepared,
          hookAsks: {
            reason: `the hook ${describeHook(asks.hook)} asks: ${withoutFullStop(asks.reason)}`,
            winner: winnerOf(asks),
          },
        }
      : prepared,
  };
}

function withoutFullStop(reason: string): string {
  return reason.replace(/[.\s]+$/, '');
}

/** The call with other arguments: checked, and its effects declared, like any call. */
async function withInput(
  input: Record<string, unknown>,
  { callId, prepared: { tool, by, notes } }: HookedCall,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<PreparedCall> {
  const prepared = await prepareCall({ id: '', name: tool.name, arguments: input }, needs, { by, signal });
  const note = `a hook of the user changed the arguments; these were used: ${JSON.stringify(prepared.params).slice(0, 2_000)}`;
  const changed = { ...prepared, notes: [...notes, ...prepared.notes, note] };
  return withFiles({ callId, prepared: changed }, needs, signal);
}

function winnerOf({ hook, decision }: AskedHook) {
  return { kind: 'hook' as const, hook: describeHook(hook), verdict: decision as 'ask' | 'deny' };
}

/** Hooks after a call add to what the model reads; what happened has happened. */
export async function askHooksAfter(
  { callId, prepared }: HookedCall,
  result: ToolResult,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<{ notes: string[]; stopped?: string | undefined }> {
  const { hooks, registry } = needs;
  const named = namedTool(prepared, registry);
  if (!hooks || prepared.by === 'user' || hooks.about('PostToolUse', named).length === 0)
    return { notes: [] };
  const output = textOf(result.llmContent);
  const tool_response = {
    output,
    stdout: output,
    llmContent: output,
    error: result.error?.message,
    success: result.error === undefined,
  };
  const tool = hookedTool({ callId, prepared }, registry);
  const { answers } = await hooks.aboutTool('PostToolUse', tool, signal, { more: { tool_response } });
  await settle(callId, answers, needs);
  const context = contextOf(answers);
  const blocked = answers.filter(({ decision }) => decision === 'deny');
  const notes = [
    ...new Set(blocked.map(({ hook, reason }) => `the hook ${describeHook(hook)} objects: ${reason}`)),
    ...(context === null ? [] : [context]),
  ];
  return { notes, stopped: stoppedBy(answers) };
}

/** `continue: false` ends the run. */
function stoppedBy(answers: readonly AskedHook[]): string | undefined {
  const found = answers.find(({ stops }) => stops);
  return found && `The hook ${describeHook(found.hook)} ended the run: ${withoutFullStop(found.reason)}.`;
}

/** Keeps what they said in the journal, and tells the user. */
async function settle(
  callId: string,
  answers: readonly AskedHook[],
  { record, sayOfHooks }: HookedNeeds,
): Promise<void> {
  for (const { hook, decision, reason, input, failure } of answers) {
    const entry: CallRecord = {
      type: 'call-hook',
      callId,
      event: hook.event,
      hook: describeHook(hook),
      decision,
      reason,
      input,
      failure,
    };
    await record(entry);
  }
  for (const message of messagesOf(answers)) sayOfHooks?.(message);
}
