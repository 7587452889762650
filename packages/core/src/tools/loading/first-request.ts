import type { ToolRegistry } from '../tool-registry.js';
import type { Tool } from '../tools.js';

/** A limit for the first request of a conversation, in bytes. */
const LIMIT = 12_000;
/** The system prompt without paths and texts of users, a short prompt, and the words around them in the longest wire format. */
const BESIDE_TOOLS = 1_170;
/** The words around a declaration in the longest wire format. */
const AROUND_A_TOOL = 32;
/** A search for tools, with a line for each tool that may have to wait for it. */
const SEARCH_BYTES = 790;
/** The declarations of `skill` and `agent` without their lists, and a list of agents that is worth reading. */
const SKILL_BYTES = 420;
const AGENT_BYTES = 670;
const USEFUL_AGENTS = 330;
/** A list can always say how many there are, and how they are found. */
const SHORTEST_LIST = 112;

/** Bytes of a text within JSON, where a quotation mark takes two and a control character six. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/**
 * The room in the first request, which all pieces share: skills, subagents, notes of extensions, and tools that come where there is
 * use for them. Tools that find no room wait for `tool_search`. Servers and tools of users have a budget of their own.
 */
export class FirstRequest {
  #textBytes = 0;
  #isSent = false;

  constructor(private readonly registry: ToolRegistry) {}

  /** Bytes for all notes of extensions. */
  get forNotes(): number {
    return within(this.#left / 5, { least: SHORTEST_LIST, most: 512 });
  }

  /** Bytes for the list of skills. Agents that somebody brought are to be declared beside it. */
  forSkills(hasAgents: boolean): number {
    const others = hasAgents ? AGENT_BYTES + USEFUL_AGENTS : SEARCH_BYTES;
    return within(this.#left - others - SKILL_BYTES, { least: SHORTEST_LIST, most: 960 });
  }

  /** Bytes for the list of subagents. */
  get forAgents(): number {
    return within(this.#left - this.#forSearch - AGENT_BYTES, { least: 2 * SHORTEST_LIST, most: 960 });
  }

  /** Counts a text that the system prompt carries. */
  addText(text: string): void {
    this.#textBytes += jsonBytes(text);
  }

  /** Declares a tool before the prompt is known, which may need others. */
  async offerAtStart(tool: Tool): Promise<void> {
    await this.#offer([tool], this.#left - SEARCH_BYTES);
  }

  /** Declares tools for a prompt, the most important ones first. Those of later prompts are appended whatever they take. */
  async offerForPrompt(tools: readonly Tool[]): Promise<void> {
    if (this.#isSent) for (const tool of tools) this.registry.registerTool(tool, { kind: 'builtin' });
    else if (sum(tools) <= this.#left - this.#forSearch) await this.#offer(tools, Number.POSITIVE_INFINITY);
    else await this.#offer(tools, this.#left - SEARCH_BYTES);
    this.#isSent = true;
  }

  async #offer(tools: readonly Tool[], room: number): Promise<void> {
    const count = tools.findLastIndex((_, index) => sum(tools.slice(0, index + 1)) <= room) + 1;
    for (const tool of tools.slice(0, count)) this.registry.registerTool(tool, { kind: 'builtin' });
    await this.registry.registerWaiting(tools.slice(count), { kind: 'builtin' });
  }

  /** Bytes that nothing takes yet but a search. */
  get #left(): number {
    const declared = this.registry.getFunctionDeclarations().flatMap(({ name = '' }) => {
      const found = this.registry.find(name);
      return found?.origin.kind === 'builtin' && name !== 'tool_search' ? [found.tool] : [];
    });
    return LIMIT - BESIDE_TOOLS - this.#textBytes - sum(declared);
  }

  get #forSearch(): number {
    return this.registry.waiting().some(({ from }) => from === 'a built-in tool') ? SEARCH_BYTES : 0;
  }
}

function sum(tools: readonly Tool[]): number {
  return tools.reduce((bytes, tool) => bytes + bytesAsJson(tool), 0);
}

/** Each kind of piece asks for the room that is left, and a tool changes its words seldom. */
const counted = new WeakMap<Tool, { description: string; parameters: unknown; bytes: number }>();

function bytesAsJson(tool: Tool): number {
  const { name, description, parameterSchema: parameters } = tool;
  const earlier = counted.get(tool);
  if (earlier?.description === description && earlier.parameters === parameters) return earlier.bytes;
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, parameters })) + AROUND_A_TOOL;
  counted.set(tool, { description, parameters, bytes });
  return bytes;
}

function within(bytes: number, { least, most }: { least: number; most: number }): number {
  return Math.floor(Math.min(most, Math.max(least, bytes)));
}
