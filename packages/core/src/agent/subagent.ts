import type { Message } from '@toolwright/machine/base/content.js';
import type { OneAtATime } from '@toolwright/machine/base/one-at-a-time.js';
import type { Log } from '@toolwright/machine/host/host.js';
import { type ModelClient, withStream } from '../model/model.js';
import type { AgentPiece } from '../pieces/agents/agent-piece.js';
import type { AskHooks } from '../pieces/hooks/ask-hooks.js';
import type { CallNeeds, ConfirmRequest, SchedulerOptions } from '../scheduler/call.js';
import type { Scheduler } from '../scheduler/scheduler.js';
import type { Session } from '../session/session.js';
import type { AgentReport } from '../tools/pieces/agent.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { OnUpdate } from '../tools/tools.js';
import { type AgentOptions, runPrompt } from './agent.js';
import type { EndReason } from './events.js';
import { createSubagentLines } from './subagent-lines.js';

/** The needs of a subagent. */
export interface SubagentNeeds extends Pick<AgentOptions, 'budget' | 'spent'> {
  agent: AgentPiece;
  model: ModelClient;
  /** The words that the conversation has for its own model. */
  system: string;
  clean(message: Message): Message;
  /** The subagent's tools. */
  registry: ToolRegistry;
  /** The rules to which its file narrows some of them. */
  within: CallNeeds['within'];
  scheduler: Pick<Scheduler, 'run'>;
  hooks: AskHooks | null;
  recordHook: Session['recordHook'];
  log: Pick<Log, 'error' | 'path'>;
  confirm: SchedulerOptions['confirm'];
  /** Questions of all agents reach the same user. */
  oneQuestion: OneAtATime;
}

const endings: Partial<Record<EndReason, string>> = {
  'turn-limit': 'it has taken as many turns as it may',
  'call-limit': 'it has made as many calls as it may',
  'token-limit': 'the tokens of this run are used up',
  'cost-limit': 'the money of this run is used up',
};

/** Works on a task in a context of its own, to a report. */
export async function runSubagent(
  task: string,
  needs: SubagentNeeds,
  { signal, onUpdate }: { signal: AbortSignal; onUpdate: OnUpdate },
): Promise<AgentReport> {
  const { agent, clean, registry, log, budget = {}, spent } = needs;
  const lines = createSubagentLines(onUpdate);
  const stop = await stopOf(needs, lines.hear);
  const result = await runPrompt(
    [{ text: task }],
    {
      clean,
      log,
      spent,
      messages: [],
      emit: lines.hear,
      system: systemOf(needs),
      model: modelOf(needs),
      // Tokens and money are the whole run's; turns and calls each agent has for itself.
      budget: { ...budget, turns: least(agent.maxTurns, budget.turns) },
      scheduler: schedulerOf(needs, lines.hear),
      declarations: () => registry.getFunctionDeclarations(),
      record: async () => undefined,
      recordHistory: async () => undefined,
      contextOf: async () => '',
      whenDone: stop?.whenDone,
    },
    signal,
  );
  await stop?.end(signal);
  signal.throwIfAborted();
  const { response: text, turns, calls, reason, error } = result;
  const ended = reason === 'done' ? undefined : (error?.message ?? endings[reason] ?? reason);
  const stopped = error?.kind === 'hook' ? error.message : undefined;
  return { agent: agent.name, text, turns, calls, did: lines.did, ended, stopped };
}

function modelOf({ model, agent: { name } }: SubagentNeeds): ModelClient {
  return withStream(model, (request, signal) =>
    model.stream({ ...request, purpose: `agent ${name}` }, signal),
  );
}

function least(...limits: (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

function systemOf({ agent: { name, prompt }, system }: SubagentNeeds): string {
  return `You are the subagent ${name}. Nobody answers questions: do the task as far as you can. Your last message is the report to whoever gave it to you; keep it short and complete.\n${prompt}\n\n${system}`;
}

function schedulerOf(
  { scheduler, agent, registry, within, confirm, oneQuestion }: SubagentNeeds,
  emit: SchedulerOptions['emit'],
): Pick<Scheduler, 'run'> {
  return {
    run: (calls, signal, batch) =>
      scheduler.run(calls, signal, {
        ...batch,
        by: 'agent',
        agent: agent.name,
        registry,
        within,
        emit,
        oneQuestion,
        confirm: (request, asking) => confirm(askedBy(agent, request), asking),
      }),
  };
}

/** Names the asking agent in the question itself, for every front end. */
function askedBy({ name }: AgentPiece, request: ConfirmRequest): ConfirmRequest {
  const asks = ` (asked by the agent ${name})`;
  const { title } = request.details;
  const details = title === undefined ? request.details : { ...request.details, title: `${title}${asks}` };
  return { ...request, description: `${request.description}${asks}`, details };
}

async function stopOf(
  { hooks, agent: { name }, recordHook: record }: SubagentNeeds,
  emit: AgentOptions['emit'],
) {
  if (!hooks) return null;
  return (await import('./told-hooks.js')).createSubagentStop(hooks, { name, emit, record });
}
