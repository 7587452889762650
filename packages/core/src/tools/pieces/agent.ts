import { availableParallelism } from 'node:os';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import type { AgentPiece } from '../../pieces/agents/agent-piece.js';
import { BaseTool, type OnUpdate, type ToolResult } from '../tools.js';

type AgentParams = { agent: string; task: string };

/** The end of a subagent's work. */
export interface AgentReport {
  text: string;
  turns: number;
  calls: number;
  /** Why it ended early, in words. */
  ended?: string;
}

export interface AgentToolNeeds {
  /** Its agents work for a subagent, which has a slot already: two that wait for each other would wait for ever. */
  isNested: boolean;
  agents: readonly AgentPiece[];
  run(
    agent: AgentPiece,
    task: string,
    doing: { signal: AbortSignal; onUpdate: OnUpdate },
  ): Promise<AgentReport>;
}

const LINE_LENGTH = 160;

/** Gives a piece of work to another context. Offered when there is use for it. */
export class AgentTool extends BaseTool<AgentParams> {
  readonly #needs: AgentToolNeeds;

  constructor(needs: AgentToolNeeds) {
    const lines = needs.agents.map(({ name, description }) =>
      `- ${name}: ${description}`.slice(0, LINE_LENGTH),
    );
    super({
      name: 'agent',
      displayName: 'Agent',
      description: `Gives a piece of work to a subagent, which has a context of its own and answers with a report. It knows nothing of this conversation: say all it needs. Several calls in one answer run side by side.\n\n${lines.join('\n')}`,
      parameterSchema: {
        type: 'object',
        properties: {
          agent: { type: 'string', description: 'Its name.' },
          task: {
            type: 'string',
            description: 'What to do, what is known, and what the report should hold.',
          },
        },
        required: ['agent', 'task'],
      },
    });
    this.#needs = needs;
  }

  override getDescription({ agent, task }: AgentParams): string {
    return `Agent ${agent}: ${task}`;
  }

  /** Each of its calls is judged by itself. */
  override effects(): Effect[] {
    return [];
  }

  protected override async run(
    { agent, task }: AgentParams,
    signal: AbortSignal,
    onUpdate: OnUpdate = () => undefined,
  ): Promise<ToolResult> {
    const { agents } = this.#needs;
    const found = agents.find(({ name }) => name === agent);
    if (!found) {
      const names = agents.map(({ name }) => name);
      throw new ToolError(
        'not_found',
        `There is no agent called ${JSON.stringify(agent.slice(0, 100))}. ${didYouMean(nearest(agent, names)) || `The agents are: ${names.join(', ')}.`}`,
      );
    }
    const inSlot = this.#needs.isNested ? (work: () => Promise<ToolResult>) => work() : withSlot(signal);
    return inSlot(async () => {
      const { text, turns, calls, ended } = await this.#needs.run(found, task, { signal, onUpdate });
      const early = ended === undefined ? '' : `\n[The agent ${agent} did not finish: ${ended}.]`;
      return {
        llmContent: `${text || 'The agent gave no report.'}${early}`,
        returnDisplay: `${text}${early}\n(${turns} turns, ${calls} calls)`.trim(),
        ...(ended !== undefined && text === '' ? { error: { code: 'failed' as const, message: ended } } : {}),
      };
    });
  }
}

/** Agents wait for the model most of the time, but each may run programs. */
const MOST_AT_ONCE = Math.max(2, Math.min(6, availableParallelism()));
let running = 0;
const waiting: (() => void)[] = [];

function withSlot(signal: AbortSignal) {
  return <Result>(work: () => Promise<Result>): Promise<Result> => waitForSlot(signal, work);
}

async function waitForSlot<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  while (running >= MOST_AT_ONCE) {
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  signal.throwIfAborted();
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
