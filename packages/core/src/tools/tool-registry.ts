import { canonical } from '../base/canonical-json.js';
import type { FunctionDeclaration } from '../base/content.js';
import { messageOf, ToolError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import type { Tool } from './tools.js';

/** Where a tool came from; decides how its calls are judged and how a collision is worded. */
export type ToolOrigin =
  | { kind: 'builtin' }
  | { kind: 'library' }
  | { kind: 'file'; path: string }
  | { kind: 'command'; command: string }
  | { kind: 'mcp'; server: string; bareName: string };

export interface RegisteredTool {
  tool: Tool;
  origin: ToolOrigin;
}

/** Something that finds tools: a discovery command, an MCP server. */
export interface ToolSource {
  kind: 'command' | 'mcp';
  /** For messages: the command line, the server's alias. */
  name: string;
  discover(signal: AbortSignal): Promise<RegisteredTool[]>;
}

export interface DiscoveryReport {
  added: string[];
  /** One sentence per source or tool that could not be used. */
  problems: string[];
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools of one agent. A name is taken once; look-up also takes aliases and unambiguous bare MCP names. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #declarations = new Map<string, FunctionDeclaration>();
  readonly #sources: ToolSource[] = [];
  readonly #discovered = new Map<ToolSource, (() => void)[]>();

  /** Returns the function that takes the tool out again. */
  registerTool(tool: Tool, origin: ToolOrigin = { kind: 'library' }): () => void {
    this.#refuseUnusable(tool, origin);
    const registered = { tool, origin };
    this.#tools.set(tool.name, registered);
    return () => {
      if (this.#tools.get(tool.name) !== registered) return;
      this.#tools.delete(tool.name);
      this.#declarations.delete(tool.name);
    };
  }

  getTool(name: string): Tool | undefined {
    return this.find(name)?.tool;
  }

  find(name: string): RegisteredTool | undefined {
    const exact = this.#tools.get(name);
    if (exact) return exact;
    const all = [...this.#tools.values()];
    const aliased = all.find(({ tool }) => tool.nameAliases?.includes(name));
    if (aliased) return aliased;
    const bare = all.filter(({ origin }) => origin.kind === 'mcp' && origin.bareName === name);
    return bare.length === 1 ? bare[0] : undefined;
  }

  /** The tool, or an `unknown_tool` error that names what the model may have meant. */
  require(name: string): RegisteredTool {
    const found = this.find(name);
    if (found) return found;
    const near = nearest(name, this.#searchableNames());
    const hint =
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `The tools are: ${[...this.#tools.keys()].join(', ')}.`;
    throw new ToolError(
      'unknown_tool',
      `There is no tool called ${JSON.stringify(name.slice(0, 100))}. ${hint}`,
    );
  }

  getAllTools(): Tool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  all(): RegisteredTool[] {
    return [...this.#tools.values()];
  }

  /** In order of registration, so that a tool added later leaves the bytes before it as they were. */
  getFunctionDeclarations(): FunctionDeclaration[] {
    return [...this.#tools.values()].map((registered) => {
      const name = registered.tool.name;
      let declaration = this.#declarations.get(name);
      if (!declaration) {
        declaration = declarationOf(registered);
        this.#declarations.set(name, declaration);
      }
      return declaration;
    });
  }

  addSource(source: ToolSource): void {
    this.#sources.push(source);
  }

  /** Asks every source anew. A source that fails keeps the tools it gave before and costs nobody else anything. */
  discoverAllTools(signal: AbortSignal): Promise<DiscoveryReport> {
    return this.#discover(this.#sources, signal);
  }

  discoverMcpTools(signal: AbortSignal): Promise<DiscoveryReport> {
    return this.#discover(
      this.#sources.filter((source) => source.kind === 'mcp'),
      signal,
    );
  }

  async #discover(sources: ToolSource[], signal: AbortSignal): Promise<DiscoveryReport> {
    const report: DiscoveryReport = { added: [], problems: [] };
    const answers = await Promise.all(
      sources.map((source) =>
        source.discover(signal).catch((error: unknown) => {
          report.problems.push(`${source.name}: ${messageOf(error)}`);
          return null;
        }),
      ),
    );
    sources.forEach((source, index) => {
      const found = answers[index];
      if (found) this.#replaceToolsOf(source, found, report);
    });
    return report;
  }

  #replaceToolsOf(source: ToolSource, found: RegisteredTool[], report: DiscoveryReport): void {
    for (const dispose of this.#discovered.get(source) ?? []) dispose();
    const disposers: (() => void)[] = [];
    for (const { tool, origin } of found) {
      try {
        disposers.push(this.registerTool(tool, origin));
        report.added.push(tool.name);
      } catch (error) {
        report.problems.push(`${source.name}: ${messageOf(error)}`);
      }
    }
    this.#discovered.set(source, disposers);
  }

  #refuseUnusable(tool: Tool, origin: ToolOrigin): void {
    if (!NAME.test(tool.name)) {
      throw new Error(
        `The tool name ${JSON.stringify(tool.name)} (from ${describeOrigin(origin)}) must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.`,
      );
    }
    const names = [tool.name, ...(tool.nameAliases ?? [])];
    for (const taken of this.#tools.values()) {
      const theirs = [taken.tool.name, ...(taken.tool.nameAliases ?? [])];
      const clash = names.find((name) => theirs.includes(name));
      if (clash) {
        throw new Error(
          `The tool name ${clash} is taken: ${describeOrigin(taken.origin)} has it, so ${describeOrigin(origin)} can't use it. Rename one of them.`,
        );
      }
    }
  }

  #searchableNames(): string[] {
    return [...this.#tools.values()].flatMap(({ tool, origin }) =>
      origin.kind === 'mcp' ? [tool.name, origin.bareName] : [tool.name],
    );
  }
}

function describeOrigin(origin: ToolOrigin): string {
  switch (origin.kind) {
    case 'builtin':
      return 'a built-in tool';
    case 'library':
      return 'the embedding program';
    case 'file':
      return `the tool file ${origin.path}`;
    case 'command':
      return `the discovery command ${origin.command}`;
    case 'mcp':
      return `the MCP server ${origin.server}`;
  }
}

/** Foreign schemas are put in canonical order; ours keep the order in which we want the model to write. */
function declarationOf({ tool, origin }: RegisteredTool): FunctionDeclaration {
  const schema = origin.kind === 'builtin' ? tool.parameterSchema : canonical(tool.parameterSchema);
  return Object.freeze({ name: tool.name, description: tool.description, parametersJsonSchema: schema });
}
