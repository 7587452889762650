import { textOf } from '@toolwright/machine/base/content.js';
import { type AskedHook, contextOf, type HookedTool, messagesOf } from '../pieces/hooks/ask-hooks.js';
import { describeHook } from '../pieces/hooks/hook.js';
import type { NamedTool } from '../pieces/hooks/hook-names.js';
import type { CallRecord } from '../session/call-record.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ToolResult } from '../tools/tools.js';
import type { CallNeeds, SchedulerOptions } from './call.js';
import { type PreparedCall, prepareCall } from './prepare-call.js';
import { refuse, type Settled } from './refusal.js';

type HookedNeeds = Pick<SchedulerOptions, 'registry' | 'falseClaims' | 'record' | 'hooks' | 'sayOfHooks'>;

/** True when a hook will be asked about the call: what it does is known only after that. */
export function isHooked({ tool, by }: PreparedCall, { hooks, registry }: HookedNeeds): boolean {
  const about = hooks?.about('PreToolUse', namedTool(tool.name, registry)) ?? [];
  return by !== 'user' && about.some(({ isAsync }) => !isAsync);
}

export function namedTool(name: string, registry: Pick<ToolRegistry, 'find'>): NamedTool {
  const origin = registry.find(name)?.origin;
  return origin?.kind === 'mcp'
    ? { name, server: { alias: origin.server, tool: origin.bareName } }
    : { name };
}

function hookedTool(
  { callId, prepared }: { callId: string; prepared: PreparedCall },
  registry: Pick<ToolRegistry, 'find'>,
): HookedTool {
  const { tool, params } = prepared;
  return { ...namedTool(tool.name, registry), callId, params, files: filesOfPatch(prepared) };
}

/** A patch names its files within its text, where no hook would look for them. */
function filesOfPatch({ tool, effects = [] }: PreparedCall): string[] | undefined {
  if (tool.name !== 'apply_patch') return undefined;
  return [
    ...new Set(
      effects.flatMap((effect) => (effect.kind === 'write' || effect.kind === 'delete' ? effect.path : [])),
    ),
  ];
}

/**
 * Asks the hooks before anything is planned or asked. They can only narrow: a no ends the call, a question is asked whatever the
 * rules say, changed arguments go through all checks anew, and a yes is silence.
 */
export async function askHooksBefore(
  call: { callId: string; prepared: PreparedCall },
  needs: HookedNeeds,
  signal: AbortSignal,
): Promise<{ prepared: PreparedCall } | Settled> {
  const { callId, prepared } = call;
  const { hooks, registry } = needs;
  if (!hooks || prepared.by === 'user') return { prepared };
  const answers = await hooks.aboutTool('PreToolUse', hookedTool({ callId, prepared }, registry), signal);
  await settle(callId, answers, needs);
  const denied = answers.find(({ decision }) => decision === 'deny');
  if (denied) {
    const reason = `the hook ${describeHook(denied.hook)} says no: ${withoutFullStop(denied.reason)}`;
    await needs.record({ type: 'call-decision', callId, decision: 'deny', reason, winner: winnerOf(denied) });
    return refuse({ by: 'rule', reason });
  }
  const input = answers.findLast((answer) => answer.input !== undefined)?.input;
  const changed = input ? await withInput(input, prepared, needs, signal) : prepared;
  const asks = answers.find(({ decision }) => decision === 'ask');
  return {
    prepared: asks
      ? {
          ...changed,
          hookAsks: {
            reason: `the hook ${describeHook(asks.hook)} asks: ${withoutFullStop(asks.reason)}`,
            winner: winnerOf(asks),
          },
        }
      : changed,
  };
}

function withoutFullStop(reason: string): string {
  return reason.replace(/[.\s]+$/, '');
}

/** The call with other arguments: checked, and its effects declared, like any call. */
async function withInput(
  input: Record<string, unknown>,
  { tool, by, notes }: PreparedCall,
  needs: HookedNeeds,
  signal: AbortSignal,
): Promise<PreparedCall> {
  const prepared = await prepareCall({ id: '', name: tool.name, arguments: input }, needs, { by, signal });
  const note = `a hook of the user changed the arguments; these were used: ${JSON.stringify(prepared.params).slice(0, 2_000)}`;
  return { ...prepared, notes: [...notes, ...prepared.notes, note] };
}

function winnerOf({ hook, decision }: AskedHook) {
  return { kind: 'hook' as const, hook: describeHook(hook), verdict: decision as 'ask' | 'deny' };
}

/** Hooks after a call add to what the model reads; what happened has happened. */
export async function askHooksAfter(
  { callId, prepared }: { callId: string; prepared: PreparedCall },
  result: ToolResult,
  needs: CallNeeds,
  signal: AbortSignal,
): Promise<string[]> {
  const { hooks, registry } = needs;
  const named = namedTool(prepared.tool.name, registry);
  if (!hooks || prepared.by === 'user' || hooks.about('PostToolUse', named).length === 0) return [];
  const output = textOf(result.llmContent);
  const tool_response = {
    output,
    stdout: output,
    llmContent: output,
    error: result.error?.message,
    success: result.error === undefined,
  };
  const tool = hookedTool({ callId, prepared }, registry);
  const answers = await hooks.aboutTool('PostToolUse', tool, signal, { tool_response });
  await settle(callId, answers, needs);
  const context = contextOf(answers);
  const blocked = answers.filter(({ decision }) => decision === 'deny');
  return [
    ...blocked.map(({ hook, reason }) => `the hook ${describeHook(hook)} objects: ${reason}`),
    ...(context === null ? [] : [context]),
  ];
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
