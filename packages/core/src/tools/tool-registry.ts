import { type FunctionDeclaration, TOOL_NAME } from '@toolwright/machine/base/content.js';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { didYouMean, nearest } from '@toolwright/machine/base/nearest.js';
import { bytesOf, declare } from './loading/declaration.js';
import { describeOrigin, type ToolOrigin } from './loading/tool-origin.js';
import type { WaitingTool } from './loading/tool-search.js';
import type { Tool } from './tools.js';

/** A tool, and where it comes from. */
export interface RegisteredTool {
  tool: Tool;
  origin: ToolOrigin;
}

/** Something that finds tools: a folder of tool files, a discovery command, an MCP server. */
export interface ToolSource {
  kind: 'file' | 'command' | 'mcp';
  /** The folder, the command line or the server's alias, for messages. */
  name: string;
  /** Calls `problem` with a sentence for each tool that can't be used; the others are still found. */
  discover(signal: AbortSignal, problem: (sentence: string) => void): Promise<RegisteredTool[]>;
  /** Ends what runs for its tools. */
  close?(): Promise<void>;
}

/** The findings of a discovery. */
export interface DiscoveryReport {
  added: string[];
  /** A sentence per source or tool that could not be used. */
  problems: string[];
}

export interface ToolRegistryOptions {
  /** Names of tools to leave out, whoever offers them. The embedding program's own tools are never left out. */
  excluded?: readonly string[];
  /** Names kept for built-in tools that are not there yet, or not in this session. */
  reserved?: readonly string[];
  declarationsBudget?: number;
}

const TOOL_SEARCH = 'tool_search';

/** Bytes that the declarations of discovered tools may take together; the rest waits for `tool_search`. */
const DECLARATIONS_BUDGET = 24 * 1024;

interface RegistryEntry extends RegisteredTool {
  /** Registered, but not declared to the model until it asks. */
  isWaiting: boolean;
}

/** The tools of one agent. A name is taken once; look-up also takes aliases and unambiguous bare MCP names. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegistryEntry>();
  /** Names and aliases. */
  readonly #owners = new Map<string, RegistryEntry>();
  /** Made when somebody asks by such a name. */
  #bareNames: Map<string, RegistryEntry[]> | null = null;
  /** In the order in which the model got to know them. */
  readonly #declared = new Map<string, FunctionDeclaration | null>();
  readonly #sources: ToolSource[] = [];
  readonly #discovered = new Map<ToolSource, Map<string, () => void>>();
  readonly #listeners = new Set<() => void>();
  readonly #budget: number;
  #excluded: readonly string[];
  /** Tools that were not found by a source and are left out for now. */
  readonly #leftOut = new Map<string, RegisteredTool>();
  /** The tools of each source when it was last asked. */
  readonly #found = new Map<ToolSource, RegisteredTool[]>();
  /** Names that only built-in tools and the embedding program may take. */
  readonly #reserved: Set<string>;

  constructor(options: ToolRegistryOptions = {}) {
    this.#budget = options.declarationsBudget ?? DECLARATIONS_BUDGET;
    this.#excluded = options.excluded ?? [];
    this.#reserved = new Set([TOOL_SEARCH, ...(options.reserved ?? [])]);
  }

  /** Returns the function that takes the tool out again, whatever was left out or came back meanwhile. */
  registerTool(tool: Tool, origin: ToolOrigin = { kind: 'library' }): () => void {
    if (origin.kind === 'builtin') for (const name of namesOf(tool)) this.#reserved.add(name);
    if (!this.#leavesOut({ tool, origin })) this.#register({ tool, origin, isWaiting: false });
    return () => {
      if (this.#leftOut.get(tool.name)?.tool === tool) this.#leftOut.delete(tool.name);
      const entry = this.#tools.get(tool.name);
      if (entry?.tool === tool) this.#remove(entry);
    };
  }

  /** Registers tools that the model finds by `tool_search`, because their declarations are too much for the first request. */
  async registerWaiting(tools: readonly Tool[], origin: ToolOrigin): Promise<void> {
    const offered = tools.filter((tool) => !this.#leavesOut({ tool, origin }));
    if (offered.length === 0) return;
    for (const tool of offered) this.#register({ tool, origin, isWaiting: true });
    // A search that is there already has the names of others in its description.
    const search = this.#tools.get(TOOL_SEARCH);
    if (search?.origin.kind === 'builtin') this.#remove(search);
    await this.#offerSearch();
  }

  /** Leaves out these names from now on; tools that were left out for their name before come back. */
  async exclude(names: readonly string[]): Promise<void> {
    this.#excluded = names;
    for (const entry of [...this.#tools.values()].filter((each) => this.#isExcluded(each))) {
      this.#remove(entry);
      if (entry.origin.kind === 'builtin') this.#leftOut.set(entry.tool.name, entry);
    }
    const leftOut = [...this.#leftOut.values()];
    this.#leftOut.clear();
    for (const { tool, origin } of leftOut) this.registerTool(tool, origin);
    for (const [source, found] of this.#found)
      this.#replaceToolsOf(source, found, { added: [], problems: [] });
    await this.#offerSearch();
  }

  /** Names to leave out where other tools of this conversation are registered: those left out here, and the embedding program's own. */
  get excluded(): string[] {
    const own = this.all().filter(({ origin }) => origin.kind === 'library');
    return [...this.#excluded, ...own.flatMap(({ tool }) => namesOf(tool))];
  }

  /** Calls the listener when a tool came or went. Returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  getTool(name: string): Tool | undefined {
    return this.find(name)?.tool;
  }

  find(name: string): RegisteredTool | undefined {
    const owner = this.#owners.get(name);
    if (owner) return owner;
    const [first, ...more] = this.#withBareNames().get(name) ?? [];
    return more.length === 0 ? first : undefined;
  }

  /** The tool, or an `unknown_tool` error that names what the model may have meant. */
  require(name: string): RegisteredTool {
    const found = this.find(name);
    if (found) return found;
    const hint = didYouMean(this.#near(name)) || `The tools are: ${[...this.#declared.keys()].join(', ')}.`;
    throw new ToolError(
      'unknown_tool',
      `There is no tool called ${JSON.stringify(name.slice(0, 100))}. ${hint}`,
    );
  }

  /** Gives names that may have been meant by one that no tool has; empty when some tool has it, or nothing is near. */
  misspelt(name: string): string[] {
    return this.find(name) || this.#reserved.has(name) ? [] : this.#near(name);
  }

  getAllTools(): Tool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  all(): RegisteredTool[] {
    return [...this.#tools.values()];
  }

  /** In order of registration, or of loading, so that a tool added later leaves the bytes before it as they were. */
  getFunctionDeclarations(): FunctionDeclaration[] {
    return [...this.#declared.keys()].map((name) => this.#declarationOf(name));
  }

  /** Tools that the model can load. */
  waiting(): WaitingTool[] {
    return [...this.#tools.values()]
      .filter(({ isWaiting }) => isWaiting)
      .map(({ tool, origin }) => ({ tool, from: describeOrigin(origin) }));
  }

  load(names: readonly string[]): void {
    for (const name of names) {
      const entry = this.#tools.get(name);
      if (!entry) continue;
      entry.isWaiting = false;
      if (!this.#declared.has(name)) this.#declared.set(name, null);
    }
  }

  addSource(source: ToolSource): void {
    this.#sources.push(source);
  }

  /** Asks every source anew. A source that fails keeps the tools it gave before and costs nobody else anything. */
  discoverAllTools(signal: AbortSignal): Promise<DiscoveryReport> {
    return this.#discover(this.#sources, signal);
  }

  /** Discovers tools of tool files and discovery commands, or of one of these kinds. */
  discoverOwnTools(signal: AbortSignal, only?: 'file' | 'command'): Promise<DiscoveryReport> {
    return this.#discover(
      this.#sources.filter(({ kind }) => (only === undefined ? kind !== 'mcp' : kind === only)),
      signal,
    );
  }

  /** Discovers tools of every MCP server, or of the one named. */
  discoverMcpTools(signal: AbortSignal, server?: string): Promise<DiscoveryReport> {
    return this.#discover(
      this.#sources.filter(({ kind, name }) => kind === 'mcp' && (server === undefined || name === server)),
      signal,
    );
  }

  async #discover(sources: ToolSource[], signal: AbortSignal): Promise<DiscoveryReport> {
    const report: DiscoveryReport = { added: [], problems: [] };
    const answers = await Promise.all(
      sources.map((source) =>
        source
          .discover(signal, (sentence) => report.problems.push(`${source.name}: ${sentence}`))
          .catch((error: unknown) => {
            report.problems.push(`${source.name}: ${messageOf(error)}`);
            return null;
          }),
      ),
    );
    sources.forEach((source, index) => {
      const found = answers[index];
      if (found) this.#replaceToolsOf(source, found, report);
    });
    await this.#offerSearch();
    return report;
  }

  async #offerSearch(): Promise<void> {
    if (this.#tools.has(TOOL_SEARCH) || this.waiting().length === 0) return;
    const { ToolSearchTool } = await import('./loading/tool-search.js');
    if (!this.#tools.has(TOOL_SEARCH)) this.registerTool(new ToolSearchTool(this), { kind: 'builtin' });
  }

  /** Tools that a source gives again unchanged keep their place; the others are taken out or appended. */
  #replaceToolsOf(source: ToolSource, found: RegisteredTool[], report: DiscoveryReport): void {
    const disposers = this.#discovered.get(source) ?? new Map<string, () => void>();
    this.#discovered.set(source, disposers);
    this.#found.set(source, found);
    const offered = found.filter((one) => !this.#isExcluded(one));
    const fresh = disposers.size === 0 ? offered : this.#freshAmong(offered, disposers);
    const isWaiting = !this.#hasRoomFor(fresh);
    for (const { tool, origin } of fresh) {
      try {
        disposers.set(tool.name, this.#register({ tool, origin, isWaiting }));
        report.added.push(tool.name);
      } catch (error) {
        report.problems.push(`${source.name}: ${messageOf(error)}`);
      }
    }
  }

  #freshAmong(found: RegisteredTool[], disposers: Map<string, () => void>): RegisteredTool[] {
    const wanted = new Map(found.map((one) => [one.tool.name, one]));
    for (const [name, dispose] of disposers) {
      const again = wanted.get(name);
      if (again && this.#isSame(name, again)) continue;
      dispose();
      disposers.delete(name);
    }
    for (const name of disposers.keys()) this.#exchange(name, wanted.get(name)!);
    return found.filter((one) => !(disposers.has(one.tool.name) && wanted.get(one.tool.name) === one));
  }

  /** Stops counting when it is too much: there may be thousands. */
  #hasRoomFor(fresh: readonly RegisteredTool[]): boolean {
    let room = this.#budget;
    for (const disposers of this.#discovered.values()) {
      for (const name of disposers.keys())
        if (this.#declared.has(name)) room -= bytesOf(this.#tools.get(name)!.tool);
    }
    return fresh.every(({ tool }) => {
      room -= bytesOf(tool);
      return room >= 0;
    });
  }

  #isSame(name: string, { tool: again }: RegisteredTool): boolean {
    const tool = this.#tools.get(name)?.tool;
    if (!tool || tool === again) return tool !== undefined;
    return (
      tool.description === again.description &&
      JSON.stringify(tool.parameterSchema) === JSON.stringify(again.parameterSchema)
    );
  }

  /** The same to the model, but it may hold on to another connection. */
  #exchange(name: string, { tool, origin }: RegisteredTool): void {
    const entry = this.#tools.get(name);
    if (entry) Object.assign(entry, { tool, origin });
  }

  #register(entry: RegistryEntry): () => void {
    const { tool, isWaiting } = entry;
    const names = namesOf(tool);
    this.#refuseUnusable(entry, names);
    this.#tools.set(tool.name, entry);
    for (const name of names) this.#owners.set(name, entry);
    if (!isWaiting) this.#declared.set(tool.name, null);
    this.#changed();
    return () => this.#remove(entry);
  }

  #remove(entry: RegistryEntry): void {
    const { tool } = entry;
    if (this.#tools.get(tool.name) !== entry) return;
    this.#tools.delete(tool.name);
    this.#declared.delete(tool.name);
    for (const name of namesOf(tool)) this.#owners.delete(name);
    this.#changed();
  }

  #changed(): void {
    this.#bareNames = null;
    for (const listener of this.#listeners) listener();
  }

  #withBareNames(): Map<string, RegistryEntry[]> {
    if (this.#bareNames) return this.#bareNames;
    const found = new Map<string, RegistryEntry[]>();
    for (const entry of this.#tools.values()) {
      if (entry.origin.kind !== 'mcp') continue;
      const { bareName } = entry.origin;
      found.set(bareName, [...(found.get(bareName) ?? []), entry]);
    }
    this.#bareNames = found;
    return found;
  }

  #declarationOf(name: string): FunctionDeclaration {
    const known = this.#declared.get(name);
    if (known) return known;
    const { tool, origin } = this.#tools.get(name)!;
    // Built-in tools keep the order we want the model to write in; parameters of servers are in order from the start.
    const declaration = declare(tool, origin.kind === 'builtin' || origin.kind === 'mcp');
    this.#declared.set(name, declaration);
    return declaration;
  }

  #refuseUnusable({ tool, origin }: RegisteredTool, names: readonly string[]): void {
    if (!TOOL_NAME.test(tool.name)) {
      throw new Error(
        `The tool name ${JSON.stringify(tool.name)} (from ${describeOrigin(origin)}) must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -.`,
      );
    }
    names.forEach((name) => {
      const owner = this.#owners.get(name)?.origin ?? this.#reservedFrom(origin, name);
      if (owner) {
        if (owner.kind === 'library' && origin.kind === 'library')
          throw new Error(`Two tools of ${describeOrigin(origin)} are called ${name}. Rename one of them.`);
        throw new Error(
          `The tool name ${name} is taken: ${describeOrigin(owner)} has it, so ${describeOrigin(origin)} can't use it. Rename one of them.`,
        );
      }
    });
  }

  /** Puts a tool aside that is excluded, or built in while another one has its name, until that changes. */
  #leavesOut(one: RegisteredTool): boolean {
    const owners = namesOf(one.tool).map((name) => this.#owners.get(name)?.origin.kind ?? 'builtin');
    const givesWay = one.origin.kind === 'builtin' && owners.some((kind) => kind !== 'builtin');
    if (!givesWay && !this.#isExcluded(one)) return false;
    this.#leftOut.set(one.tool.name, one);
    return true;
  }

  #isExcluded({ tool, origin }: RegisteredTool): boolean {
    return origin.kind !== 'library' && namesOf(tool).some((name) => this.#excluded.includes(name));
  }

  /** A program that embeds the core may put a tool of its own in the place of one it leaves out. */
  #reservedFrom({ kind }: ToolOrigin, name: string): ToolOrigin | undefined {
    const isFree = kind === 'builtin' || kind === 'library' || !this.#reserved.has(name);
    return isFree ? undefined : { kind: 'builtin' };
  }

  /** Names that can be called: where several servers offer a bare one, the whole ones. */
  #near(name: string): string[] {
    const bareNames = this.#withBareNames();
    const candidates = new Set([...this.#tools.keys(), ...bareNames.keys()]);
    const found = bareNames.has(name) ? [name] : nearest(name, candidates);
    // A tool of a server is found by two names and named by one.
    const callable = found.flatMap((each) => {
      const tool = this.find(each)?.tool;
      return tool ? tool.name : (bareNames.get(each) ?? []).map((entry) => entry.tool.name);
    });
    return [...new Set(callable)].slice(0, 5);
  }
}

function namesOf({ name, nameAliases }: Tool): readonly string[] {
  return nameAliases?.length ? [name, ...nameAliases] : [name];
}
