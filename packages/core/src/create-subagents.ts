import { basename } from 'node:path';
import type { Message, Part } from '@toolwright/machine/base/content.js';
import { messageOf } from '@toolwright/machine/base/errors.js';
import type { AgentOptions } from './agent/agent.js';
import { runSubagent } from './agent/subagent.js';
import { createToolbox, type Toolbox } from './create-toolbox.js';
import type { ModelClient } from './model/model.js';
import type { ToolboxOptions } from './options/toolbox-options.js';
import type { HeldGrant, Rule, RuleText } from './permission/rules.js';
import type { AgentPiece } from './pieces/agents/agent-piece.js';
import { coversTool, meansTool } from './pieces/hooks/hook-names.js';
import { describePieceProblem, type PieceProblem } from './pieces/piece.js';
import type { SchedulerOptions } from './scheduler/call.js';
import { jsonBytes } from './tools/loading/first-request.js';
import type { AgentReport, AgentTool, WhileWorking, WorkApart } from './tools/pieces/agent.js';
import type { AgentSlot } from './tools/pieces/agent-slots.js';
import { wasUsed } from './tools/task/used-before.js';
import { ToolRegistry } from './tools/tool-registry.js';
import type { OnUpdate, Tool } from './tools/tools.js';

/** The things that subagents share with the conversation that they work for. */
export interface SubagentRoom {
  toolbox: Toolbox;
  agents: readonly AgentPiece[];
  problems: readonly PieceProblem[];
  confirm: SchedulerOptions['confirm'];
  /** The model, the words that every agent is told and what is left to spend, as they are now. */
  now(): Pick<AgentOptions, 'model' | 'system' | 'clean' | 'budget' | 'spent'>;
  /** Opens another model of the same provider; absent where the embedding program gave the model. */
  modelNamed?: ((name: string) => Promise<ModelClient>) | undefined;
  /** Opens another toolbox with the same rules and journal, for an agent that works apart. */
  openToolbox(): Promise<Toolbox>;
}

const DEEPEST = 2;

/** The tool that gives work to subagents; one at the deepest level has no such tool. */
async function createAgentTool(
  room: SubagentRoom,
  { depth, slot }: { depth: number; slot: AgentSlot | null } = { depth: 1, slot: null },
): Promise<AgentTool> {
  const { AgentTool: Tool } = await import('./tools/pieces/agent.js');
  return new Tool({
    agents: room.agents,
    list: { room: room.toolbox.firstRequest.forAgents, bytesOf: jsonBytes },
    problems: room.problems,
    slot,
    run: (agent, task, doing) => work({ agent, task, depth }, room, doing),
    runApart: (agent, task, doing) => workApart({ agent, task, depth }, room, doing),
    whyNotApart: () =>
      room.toolbox.apart.id === null
        ? null
        : 'This session works apart already, and so do its agents: leave apart out.',
  });
}

interface Subtask {
  agent: AgentPiece;
  task: string;
  depth: number;
}

async function work(subtask: Subtask, room: SubagentRoom, doing: WhileWorking): Promise<AgentReport> {
  const { task } = subtask;
  const { toolbox, confirm } = room;
  const agent = await toolbox.pieces.wholeAgent(subtask.agent, doing.signal);
  const { system, clean, budget, spent } = room.now();
  const narrowed = await narrowedTools(agent, room);
  const needs = {
    agent,
    within: narrowed.within,
    system,
    clean,
    confirm,
    budget,
    spent,
    model: await modelFor(agent, room, doing.onUpdate),
    registry: await toolsOf({ ...subtask, agent }, { ...room, narrowed }, doing),
    scheduler: toolbox.scheduler,
    oneQuestion: toolbox.scheduler.oneQuestion,
    hooks: toolbox.pieces.hooks,
    recordHook: toolbox.session.recordHook,
    log: toolbox.host.log,
  };
  return runSubagent(task, needs, doing);
}

/** The agent has a toolbox of its own, whose files and commands are on a view of the workspace. */
async function workApart(subtask: Subtask, room: SubagentRoom, doing: WhileWorking): Promise<WorkApart> {
  const { signal, onUpdate } = doing;
  const toolbox = await room.openToolbox();
  const { leaveRoom, workOfAgent } = await import('./apart/work-of-agent.js');
  try {
    await toolbox.apart.begin({ prompt: subtask.task, say: (sentence) => onUpdate(`${sentence}\n`) }, signal);
    const report = await work(subtask, { ...room, toolbox }, doing);
    // A server that it left running must not go on changing files.
    await toolbox.commands.shell.jobs.end({ kind: 'shutdown' });
    return await workOfAgent(report, toolbox, signal);
  } catch (error) {
    await leaveRoom(toolbox);
    throw error;
  }
}
/** The model that the file names, where there is one; what can't be used is told, and the work goes on without it. */
async function modelFor(agent: AgentPiece, room: SubagentRoom, onUpdate: OnUpdate): Promise<ModelClient> {
  const { model } = room.now();
  if (agent.model === undefined || !room.modelNamed) return model;
  try {
    return await room.modelNamed(agent.model);
  } catch (error) {
    onUpdate(
      `The model ${agent.model} can't be used (${messageOf(error)}); ${model.model} works in its place.\n`,
    );
    return model;
  }
}

/** Tools that the file of an agent gives only in part, as in `Bash(git:*)`. */
interface NarrowedTools {
  /** The rules that a call must be covered by, by the name of the tool. */
  within: Map<string, readonly Rule[]>;
  /** Names of tools of which nothing is left, because no pattern of theirs is understood. */
  unusable: Set<string>;
  problems: string[];
}

async function narrowedTools(
  { tools = [], from, file }: AgentPiece,
  { toolbox: { registry, permission } }: SubagentRoom,
): Promise<NarrowedTools> {
  const narrowed: NarrowedTools = { within: new Map(), unusable: new Set(), problems: [] };
  if (!tools.some(hasPattern)) return narrowed;
  const { carryRule } = await import('./switching/carry-rule.js');
  const source = file === undefined ? from : `${from}/${basename(file)}`;
  for (const { tool } of registry.all()) {
    const meant = tools.filter((written) => meansTool(written, tool.name));
    if (meant.length === 0 || !meant.every(hasPattern)) continue;
    const texts: RuleText[] = [];
    for (const written of meant) {
      const carried = carryRule(written);
      if ('rule' in carried) texts.push({ verdict: 'allow', text: carried.rule, source });
      else narrowed.problems.push(`It works without ${written}: ${carried.why}.`);
    }
    if (texts.length > 0) narrowed.within.set(tool.name, await permission.parse(texts));
    else narrowed.unusable.add(tool.name);
  }
  return narrowed;
}

/** `Bash(*)` and `Bash()` are the whole tool. */
function hasPattern(written: string): boolean {
  return /\([^)]*[^*\s)][^)]*\)?/.test(written);
}

/** Tools of the conversation alone: its search, its list, its questions to the user, and scripts, which change the view of the whole session. */
const ofConversation = ['agent', 'tool_search', 'todo', 'ask_user', 'script'];

/** The tools that the agent names, or all, but for those it is to do without; `agent` itself only where another level is allowed. */
async function toolsOf(
  { agent: { tools, withoutTools = [] }, depth }: Subtask,
  room: SubagentRoom & { narrowed: NarrowedTools },
  { onUpdate, slot }: WhileWorking,
): Promise<ToolRegistry> {
  const registry = new ToolRegistry();
  const isMeant = (name: string): boolean =>
    (tools?.some((written) => meansTool(written, name)) ?? true) &&
    !room.narrowed.unusable.has(name) &&
    !withoutTools.some((written) => coversTool(written, name));
  for (const { tool, origin } of room.toolbox.registry.all())
    if (!ofConversation.includes(tool.name) && isMeant(tool.name)) registry.registerTool(tool, origin);
  if (depth < DEEPEST && isMeant('agent'))
    registry.registerTool(await createAgentTool(room, { depth: depth + 1, slot }), { kind: 'builtin' });
  const names = [...room.toolbox.registry.all()].map(({ tool }) => tool.name);
  const missing = tools?.filter((written) => !names.some((name) => meansTool(written, name))) ?? [];
  if (missing.length > 0) onUpdate(`It works without ${missing.join(', ')}: there is no such tool here.\n`);
  for (const sentence of room.narrowed.problems) onUpdate(`${sentence}\n`);
  return registry;
}

/** Looks for a word before a pattern, which every start would compile. */
function agentsNamedIn(prompt: string): string[] {
  if (!prompt.includes('@agent-')) return [];
  return [...prompt.matchAll(/(?:^|\s)@agent-([\w-]+)/g)].map(([, name]) => name!);
}

function speaksOfAgents(prompt: string): boolean {
  return (
    prompt.toLowerCase().includes('agent') && /\b(?:sub-?agents?|use (?:an |the )?agents?)\b/i.test(prompt)
  );
}

/** Why a question of a subagent is refused where one of the conversation would wait. */
export const MAIN_MAY_ASK =
  "a question of a subagent can't wait for an answer, but the agent that gave it the task can make this call itself; there the question can wait";

/** The tool comes once there is use for it: somebody brought an agent, the prompt asks for one, or the conversation has used it. */
export function createSubagentOffer(room: Omit<SubagentRoom, 'agents' | 'problems'>): {
  /** The tool unless it is there already, and parts that tell the model which agent the user named. */
  forPrompt(prompt: string, messages: readonly Message[]): Promise<{ tools: Tool[]; parts: Part[] }>;
} {
  const { toolbox } = room;
  return {
    async forPrompt(prompt, messages) {
      const named = agentsNamedIn(prompt);
      const isAsked = named.length > 0 || speaksOfAgents(prompt);
      const tools: Tool[] = [];
      if (
        !toolbox.registry.find('agent') &&
        (toolbox.pieces.hasAgents || isAsked || wasUsed('agent', messages))
      ) {
        const { agents, problems } = await toolbox.pieces.knownAgents();
        for (const problem of problems) toolbox.host.log.error(describePieceProblem(problem));
        tools.push(await createAgentTool({ ...room, agents, problems }));
      }
      if (named.length === 0) return { tools, parts: [] };
      const agents = [...new Set(named)].join(', ');
      const text = `\n\n[The user wants this given to the agent ${agents}: call the tool agent.]`;
      return { tools, parts: [{ text }] };
    },
  };
}

/**
 * A toolbox for an agent that works apart: rules and mode of the conversation as they are now, and its journal. MCP servers are the
 * conversation's alone.
 */
export async function toolboxOfAgent(
  { permission, session, registry }: Pick<Toolbox, 'permission' | 'session' | 'registry'>,
  options: ToolboxOptions,
): Promise<Toolbox> {
  const { journalOfAgent } = await import('./apart/work-of-agent.js');
  const of: ToolboxOptions = {
    ...options,
    approvalMode: permission.mode,
    excludeTools: registry.excluded,
    rules: permission.rules.filter(({ grant }) => !grant || holdsAllSession(grant)).map(writtenRule),
    apart: false,
    resume: undefined,
    sessionId: undefined,
    mcp: undefined,
    onCallEvent: undefined,
    onEntry: undefined,
    confirm: undefined,
  };
  return createToolbox(of, (ground) => journalOfAgent(session, ground));
}

/** A yes that was saved is read anew; one that is used up, or ends at some time, is the conversation's. */
function holdsAllSession({ scope, uses, untilMs }: HeldGrant): boolean {
  return scope === 'session' && uses === undefined && untilMs === undefined;
}

function writtenRule({ verdict, text, source }: RuleText): RuleText {
  return { verdict, text, source };
}
