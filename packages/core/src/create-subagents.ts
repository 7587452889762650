import { randomUUID } from 'node:crypto';
import type { Part } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { type AgentOptions, runPrompt } from './agent/agent.js';
import type { AgentEvent } from './agent/events.js';
import type { Toolbox } from './create-toolbox.js';
import type { ModelClient } from './model/model.js';
import type { AgentPiece } from './pieces/agents/agent-piece.js';
import { toolNamed } from './pieces/hooks/hook-names.js';
import { describePieceProblem } from './pieces/piece.js';
import type { ConfirmRequest, SchedulerOptions } from './scheduler/call.js';
import type { AgentReport, AgentTool } from './tools/pieces/agent.js';
import { ToolRegistry } from './tools/tool-registry.js';
import type { OnUpdate } from './tools/tools.js';

/** What subagents share with the conversation that they work for. */
export interface SubagentNeeds {
  toolbox: Toolbox;
  agents: readonly AgentPiece[];
  confirm: SchedulerOptions['confirm'];
  /** The model and the words that every agent is told, as they are now. */
  now(): Pick<AgentOptions, 'model' | 'system' | 'clean'>;
  /** Another model of the same provider; absent where the embedding program gave the model. */
  modelNamed?: ((name: string) => Promise<ModelClient>) | undefined;
}

const DEEPEST = 2;
const MOST_TURNS = 50;
const MOST_CALLS = 200;

/** The tool that gives work to subagents; one at the deepest level has no such tool. */
async function createAgentTool(needs: SubagentNeeds, depth = 1): Promise<AgentTool> {
  const { AgentTool: Tool } = await import('./tools/pieces/agent.js');
  return new Tool({
    agents: needs.agents,
    isNested: depth > 1,
    run: (agent, task, doing) => runSubagent({ agent, task, depth }, needs, doing),
  });
}

interface Subtask {
  agent: AgentPiece;
  task: string;
  depth: number;
}

async function runSubagent(
  { agent, task, depth }: Subtask,
  needs: SubagentNeeds,
  { signal, onUpdate }: { signal: AbortSignal; onUpdate: OnUpdate },
): Promise<AgentReport> {
  const { toolbox } = needs;
  const registry = await toolsOf(agent, depth, needs);
  const { system, clean } = needs.now();
  const model = await modelFor(agent, needs, onUpdate);
  const emit = (event: AgentEvent): void => tell(event, onUpdate);
  const result = await runPrompt(
    [{ text: task }],
    {
      model,
      clean,
      system: `You are the subagent ${agent.name}. Nobody answers questions: do the task as far as you can. Your last message is the report to whoever gave it to you; keep it short and complete.\n${agent.prompt}\n\n${system}`,
      messages: [],
      emit,
      log: toolbox.host.log,
      budget: { turns: MOST_TURNS, calls: MOST_CALLS },
      scheduler: {
        run: (calls, inner, batch) =>
          toolbox.scheduler.run(calls, inner, {
            ...batch,
            by: 'agent',
            agent: agent.name,
            registry,
            emit,
            confirm: (request, asking) => needs.confirm(askedBy(agent, request), asking),
          }),
      },
      declarations: () => registry.getFunctionDeclarations(),
      record: async () => undefined,
      recordHistory: async () => undefined,
      contextOf: async () => '',
    },
    signal,
  );
  await toolbox.pieces.hooks?.tell(
    'SubagentStop',
    {
      matched: agent.name,
      more: { agent_type: agent.name, agent_id: randomUUID(), stop_hook_active: false },
    },
    signal,
  );
  signal.throwIfAborted();
  const { response, turns, calls, reason, error } = result;
  const ended = reason === 'done' ? undefined : (error?.message ?? endings[reason] ?? reason);
  return { text: response, turns, calls, ...(ended === undefined ? {} : { ended }) };
}

const endings: Record<string, string> = {
  'turn-limit': `it may take ${MOST_TURNS} turns`,
  'call-limit': `it may make ${MOST_CALLS} calls`,
};

/** The model that the file names, where there is one; what can't be used is told, and the work goes on without it. */
async function modelFor(agent: AgentPiece, needs: SubagentNeeds, onUpdate: OnUpdate): Promise<ModelClient> {
  const { model } = needs.now();
  if (agent.model === undefined || !needs.modelNamed) return model;
  try {
    return await needs.modelNamed(agent.model);
  } catch (error) {
    onUpdate(
      `The model ${agent.model} can't be used (${messageOf(error)}); ${model.model} works in its place.\n`,
    );
    return model;
  }
}

/** Tools of the conversation alone: its search, its list, its questions to the user. */
const ofConversation = ['agent', 'tool_search', 'todo', 'ask_user'];

/** The tools that the agent names, or all; `agent` itself only where another level is allowed. */
async function toolsOf({ tools }: AgentPiece, depth: number, needs: SubagentNeeds): Promise<ToolRegistry> {
  const registry = new ToolRegistry();
  const wanted = tools && new Set(tools.map(toolNamed));
  for (const { tool, origin } of needs.toolbox.registry.all()) {
    if (ofConversation.includes(tool.name)) continue;
    if (!wanted || wanted.has(tool.name)) registry.registerTool(tool, origin);
  }
  if (depth < DEEPEST && (!wanted || wanted.has('agent')))
    registry.registerTool(await createAgentTool(needs, depth + 1), { kind: 'builtin' });
  return registry;
}

/** Who asks stands in the question itself, for every front end. */
function askedBy({ name }: AgentPiece, request: ConfirmRequest): ConfirmRequest {
  const asks = ` (asked by the agent ${name})`;
  const { title } = request.details;
  const details = { ...request.details, ...(title !== undefined && { title: `${title}${asks}` }) };
  return { ...request, description: `${request.description}${asks}`, details };
}

/** Its calls as lines of live output of the call that started it. */
function tell(event: AgentEvent, onUpdate: OnUpdate): void {
  if (event.type === 'call-start') onUpdate(`${event.description}\n`);
  if (event.type === 'call-end' && event.error) onUpdate(`  failed: ${event.error.message.split('\n')[0]}\n`);
  if (event.type === 'notice') onUpdate(`${event.message}\n`);
}

/** Offers the tool once there is use for it: somebody brought an agent, or the prompt asks for one. */
export function createSubagentOffer(needs: Omit<SubagentNeeds, 'agents'>): {
  /** Parts that tell the model which agent the user named. */
  forPrompt(text: string): Promise<Part[]>;
} {
  const { toolbox } = needs;
  return {
    async forPrompt(text) {
      const named = [...text.matchAll(/(?:^|\s)@agent-([\w-]+)/g)].map(([, name]) => name!);
      const isAsked = named.length > 0 || /\b(?:sub-?agents?|use (?:an |the )?agents?)\b/i.test(text);
      if (!toolbox.registry.find('agent') && (toolbox.pieces.hasAgents || isAsked)) {
        const { agents, problems } = await toolbox.pieces.findAgents();
        for (const problem of problems) toolbox.host.log.error(describePieceProblem(problem));
        toolbox.registry.registerTool(await createAgentTool({ ...needs, agents }), { kind: 'builtin' });
      }
      if (named.length === 0) return [];
      return [
        {
          text: `\n\n[The user wants this given to the agent ${[...new Set(named)].join(', ')}: call the tool agent.]`,
        },
      ];
    },
  };
}
