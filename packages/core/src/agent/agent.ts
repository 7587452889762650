import type { FunctionDeclaration, Message, Part } from '../base/content.js';
import { messageOf } from '../base/errors.js';
import { type ModelClient, ModelError, type Usage } from '../model/model.js';
import type { SettledCall } from '../scheduler/call.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { AgentEvent, AgentResult } from './events.js';
import { BrokenTurn, runTurn } from './turn.js';

export interface AgentOptions {
  model: ModelClient;
  scheduler: Scheduler;
  declarations(): FunctionDeclaration[];
  system: string;
  /** The conversation so far; grows as the agent works. */
  messages: Message[];
  /** Awaited before the conversation goes on. */
  record(message: Message): Promise<void>;
  emit(event: AgentEvent): void;
  maxTurns: number;
}

/** Turns until the model asks for no more calls. Never throws for what a model or a tool does. */
export async function runPrompt(
  prompt: Part[],
  options: AgentOptions,
  signal: AbortSignal,
): Promise<AgentResult> {
  const result: AgentResult = {
    reason: 'done',
    response: '',
    turns: 0,
    calls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    denials: [],
    changes: [],
  };
  try {
    await add({ role: 'user', parts: prompt }, options);
    await takeTurns(result, options, signal);
  } catch (error) {
    describeEnd(result, error, signal);
  }
  options.emit({ type: 'result', result });
  return result;
}

async function takeTurns(result: AgentResult, options: AgentOptions, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (result.turns >= options.maxTurns) {
      result.reason = 'turn-limit';
      return;
    }
    result.turns += 1;
    const { model, system, messages } = options;
    const turn = await runTurn(
      model,
      { system, messages, tools: options.declarations() },
      { emit: options.emit, signal },
    );
    result.response = turn.text;
    addUsage(result.usage, turn.usage);
    await add({ role: 'model', parts: turn.parts }, options);
    if (turn.calls.length === 0) return;

    const settled = await options.scheduler.run(turn.calls, signal);
    await add(
      { role: 'user', parts: settled.map(({ response }) => ({ functionResponse: response })) },
      options,
    );
    for (const call of settled) note(result, call);
    if (signal.aborted) {
      result.reason = 'cancelled';
      return;
    }
  }
}

async function add(message: Message, options: AgentOptions): Promise<void> {
  options.messages.push(message);
  await options.record(message);
}

function note(result: AgentResult, call: SettledCall): void {
  result.calls += 1;
  if (call.denied) result.denials.push({ callId: call.callId, tool: call.tool, ...call.denied });
  if (call.changeSet) result.changes.push(call.changeSet);
}

function addUsage(total: Usage, usage: Usage | null): void {
  if (!usage) return;
  total.inputTokens += usage.inputTokens;
  total.outputTokens += usage.outputTokens;
  if (usage.cachedTokens) total.cachedTokens = (total.cachedTokens ?? 0) + usage.cachedTokens;
  if (usage.reasoningTokens) total.reasoningTokens = (total.reasoningTokens ?? 0) + usage.reasoningTokens;
}

function describeEnd(result: AgentResult, error: unknown, signal: AbortSignal): void {
  const cause = error instanceof BrokenTurn ? error.cause : error;
  if (error instanceof BrokenTurn) result.response = error.partial;
  result.reason = signal.aborted ? 'cancelled' : 'failed';
  if (signal.aborted) return;
  result.error = { kind: cause instanceof ModelError ? cause.kind : 'internal', message: messageOf(cause) };
}
