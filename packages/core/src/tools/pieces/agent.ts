import { plural } from '@toolwright/machine/base/amounts.js';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import type { AgentPiece } from '../../pieces/agents/agent-piece.js';
import { describePieceProblem, type PieceProblem } from '../../pieces/piece.js';
import { rankTools } from '../loading/tool-search.js';
import { BaseTool, type ConfirmationDetails, errorResult, type OnUpdate, type ToolResult } from '../tools.js';
import { type AgentSlot, inAgentSlot } from './agent-slots.js';

type AgentParams = { agent: string; task: string; apart?: boolean };

/** The end of a subagent's work. */
export interface AgentReport {
  agent: string;
  text: string;
  turns: number;
  calls: number;
  /** The agent's calls, a line each. */
  did: readonly string[];
  /** Why it ended early, in words. */
  ended: string | undefined;
  /** A hook ended the run with one of its calls: why. */
  stopped?: string | undefined;
}

/** The changes of an agent apart. None of them is in the workspace until they are merged. */
export interface ChangesOfAgent {
  /** "2 files changed" */
  summary: string;
  diff: FileDiff;
  effects: Effect[];
  warnings: string[];
  /** Brings them into the workspace, beside what others changed there meanwhile. */
  merge(signal: AbortSignal): Promise<MergedChanges>;
  drop(): Promise<void>;
}

/** The outcome of merging an agent's changes. */
export interface MergedChanges {
  /** Undefined when nothing was left to change. */
  changeSet: string | undefined;
  /** Sentences: what was left out and why, and where it waits. */
  notes: string[];
}

/** A report, with the changes that await a yes; null where there are none. */
export interface WorkApart {
  report: AgentReport;
  changes: ChangesOfAgent | null;
}

/** The way to cancel an agent's work, and the receiver of its progress. */
export interface WhileWorking {
  signal: AbortSignal;
  onUpdate: OnUpdate;
  slot: AgentSlot;
}

export interface AgentToolNeeds {
  /** The slot of the subagent whose tool it is: free while that waits for an agent of its own. */
  slot: AgentSlot | null;
  agents: readonly AgentPiece[];
  /** Bytes for the list of agents, and how they are counted. */
  list: { room: number; bytesOf(text: string): number };
  /** The problems of the files of others. */
  problems: readonly PieceProblem[];
  run(agent: AgentPiece, task: string, doing: WhileWorking): Promise<AgentReport>;
  /** The same apart, on a view of the workspace. */
  runApart(agent: AgentPiece, task: string, doing: WhileWorking): Promise<WorkApart>;
  /** Why no agent can work apart now; null where it can. */
  whyNotApart(): string | null;
}

const LINE_LENGTH = 160;
/** In place of a name: asks which agents there are. */
const WHICH = '?';
const MOST_LISTED = 30;
const MOST_FOUND = 10;

const taskSchema = {
  agent: { type: 'string', description: 'Its name.' },
  task: { type: 'string', description: 'What to do, what is known, and what the report should hold.' },
};

const apartSchema = {
  type: 'boolean',
  description:
    'It works apart; its changes are merged once the user agrees. For agents that change files side by side.',
};

/** Gives a piece of work to another context. Offered when there is use for it. */
export class AgentTool extends BaseTool<AgentParams, WorkApart> {
  readonly #needs: AgentToolNeeds;

  constructor(needs: AgentToolNeeds) {
    super({
      name: 'agent',
      displayName: 'Agent',
      description: `Gives a piece of work to a subagent, which has a context of its own and answers with a report. It knows nothing of this conversation: say all it needs. Several calls in one answer run side by side.\n\n${listOf(needs)}`,
      parameterSchema: {
        type: 'object',
        properties: needs.slot ? taskSchema : { ...taskSchema, apart: apartSchema },
        required: ['agent', 'task'],
      },
    });
    this.#needs = needs;
  }

  override getDescription({ agent, task, apart }: AgentParams): string {
    if (agent === WHICH) return `Look for agents: ${task}`;
    return `Agent ${agent}${apart ? ' (apart)' : ''}: ${task}`;
  }

  /** Each of its calls is judged by itself, and what it changed apart before it is merged. */
  override effects(): Effect[] {
    return [];
  }

  /** Work apart is done before the question, which is about its changes. */
  protected override async confirmation(
    params: AgentParams,
    signal: AbortSignal,
    onUpdate?: OnUpdate,
  ): Promise<ConfirmationDetails | false> {
    if (!this.#isApart(params)) return false;
    const { report, changes } = await this.plan(params, signal, onUpdate);
    if (!changes) return false;
    const { summary, diff, effects, warnings } = changes;
    return {
      kind: 'edit',
      title: `Merge the work of the agent ${report.agent}: ${summary}`,
      diff,
      effects,
      warnings,
      stopped: report.stopped,
    };
  }

  protected override async makePlan(
    { agent, task }: AgentParams,
    signal: AbortSignal,
    onUpdate: OnUpdate = () => undefined,
  ): Promise<WorkApart> {
    const found = this.#agent(agent);
    const why = this.#needs.whyNotApart();
    if (why !== null) throw new ToolError('failed', why);
    return inAgentSlot(signal, (slot) => this.#needs.runApart(found, task, { signal, onUpdate, slot }));
  }

  protected override async release({ changes }: WorkApart): Promise<void> {
    await changes?.drop();
  }

  protected override async run(
    params: AgentParams,
    signal: AbortSignal,
    onUpdate: OnUpdate = () => undefined,
  ): Promise<ToolResult> {
    if (params.agent === WHICH) return this.#which(params.task);
    if (this.#isApart(params)) return mergedResult(await this.plan(params, signal, onUpdate), signal);
    const found = this.#agent(params.agent);
    const work = (slot: AgentSlot) => this.#needs.run(found, params.task, { signal, onUpdate, slot });
    const { slot } = this.#needs;
    return resultOf(await (slot ? slot.lend(signal, work) : inAgentSlot(signal, work)));
  }

  /** The agents that fit a task, for those that the description has no room for. */
  #which(task: string): ToolResult {
    const { agents } = this.#needs;
    const fitting = rankTools(task, agents);
    const found = (fitting.length > 0 ? fitting : agents).slice(0, MOST_FOUND);
    return { llmContent: found.map(lineOf).join('\n'), returnDisplay: `Found ${namesOf(found)}` };
  }

  #agent(name: string): AgentPiece {
    const { agents, problems } = this.#needs;
    const found = agents.find((each) => each.name === name);
    if (found) return found;
    const broken = problems.find(({ file }) => file.endsWith(`/${name}.md`));
    if (broken) throw new ToolError('not_found', `The agent ${name} is off: ${describePieceProblem(broken)}`);
    const names = agents.map((each) => each.name);
    const some = `The agents are: ${names.slice(0, MOST_FOUND).join(', ')}${names.length > MOST_FOUND ? ' …' : ''}.`;
    throw new ToolError(
      'not_found',
      `There is no agent called ${JSON.stringify(name.slice(0, 100))}. ${didYouMean(nearest(name, names)) || some}`,
    );
  }

  /** A file may ask for it too; where it can't be, such an agent works like the others. */
  #isApart({ agent, apart }: AgentParams): boolean {
    const { agents, slot, whyNotApart } = this.#needs;
    if (slot || agent === WHICH) return false;
    const asked = agents.find(({ name }) => name === agent)?.isApart === true && whyNotApart() === null;
    return apart ?? asked;
  }
}

function lineOf({ name, description }: AgentPiece): string {
  return `- ${name}: ${description}`.slice(0, LINE_LENGTH);
}

function namesOf(agents: readonly AgentPiece[]): string {
  return agents.map(({ name }) => name).join(', ');
}

/** As many as there is room for, those that somebody brought first, and how the others are found. */
function listOf({ agents, list: { room, bytesOf } }: AgentToolNeeds): string {
  const lines = [...agents]
    .sort((one, other) => Number(one.isBuiltin ?? false) - Number(other.isBuiltin ?? false))
    .map(lineOf);
  for (let shown = Math.min(lines.length, MOST_LISTED); ; shown--) {
    const more = lines.length - shown;
    const rest = more === 0 ? [] : [`And ${more} more: the agent ${WHICH} tells which of them fit a task.`];
    const text = [...lines.slice(0, shown), ...rest].join('\n');
    if (shown === 0 || bytesOf(text) <= room) return text;
  }
}

async function mergedResult({ report, changes }: WorkApart, signal: AbortSignal): Promise<ToolResult> {
  if (!changes) return resultOf(report, ['It changed no files.']);
  try {
    const { changeSet, notes } = await changes.merge(signal);
    const merged = changeSet === undefined ? [] : [`Its changes are in the workspace: ${changes.summary}.`];
    return { ...resultOf(report, [...merged, ...notes]), changeSet };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { ...errorResult(error.code, error.message), stopped: report.stopped };
  }
}

function resultOf(
  { agent, text, turns, calls, did, ended, stopped }: AgentReport,
  notes: readonly string[] = [],
): ToolResult {
  const early = ended === undefined ? [] : [`The agent ${agent} did not finish: ${ended}.`];
  const said = [...early, ...notes].map((note) => `\n[${note}]`).join('');
  const list = did.length === 0 ? '' : `\n\nIts calls:\n${did.map((line) => `  ${line}`).join('\n')}`;
  return {
    llmContent: `${text || 'The agent gave no report.'}${said}`,
    returnDisplay: `${text}${said}${list}\n(${plural(turns, 'turn')}, ${plural(calls, 'call')})`.trim(),
    error: ended !== undefined && text === '' ? { code: 'failed', message: ended } : undefined,
    stopped,
  };
}
