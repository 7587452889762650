import type { CompiledInput } from '@toolwright/machine/host/compile-file.js';
import { stampOfAll } from '@toolwright/machine/host/state/inspect-files.js';
import type { Tool } from '../../tools.js';
import type { ToolHost } from '../define-tool.js';
import type { KnownFacts } from './known-facts.js';
import type { ToolFileCode } from './load-tool-file.js';
import type { ThreadScript } from './running-thread.js';
import { threadTool } from './thread-tool.js';
import type { ToolFacts } from './tool-facts.js';
import { type ThreadLimits, ToolThread } from './tool-thread.js';
import { type CompileOptions, refuseUnvouched } from './vouched-inputs.js';

export interface ThreadToolsOptions extends CompileOptions {
  host: ToolHost;
  /** The script that threads of tool files run. */
  thread(): Promise<ThreadScript>;
  /** Called for errors a tool file throws outside any call, with one line that names their place. */
  onStray?(message: string): void;
  limits?: ThreadLimits;
}

/** The tools of one tool file. A file that has not changed since it last ran is compiled and run with the first call. */
export class ThreadTools {
  readonly #path: string;
  readonly #options: ThreadToolsOptions;
  readonly #known: KnownFacts;
  readonly #thread: ToolThread;
  #inputs: CompiledInput[] = [];
  #stamp = '';
  #kept = '';
  #tools: Tool[] = [];

  constructor(path: string, options: ThreadToolsOptions, known: KnownFacts) {
    const { host, thread: script, onStray = () => undefined, limits } = options;
    this.#path = path;
    this.#options = options;
    this.#known = known;
    this.#thread = new ToolThread({
      path,
      host,
      script,
      onStray,
      limits,
      file: () => this.#compile(),
      onFacts: (facts) => this.#keep(facts),
    });
  }

  /** Finds the tools. Throws with the file, and the line where there is one. */
  async open(): Promise<void> {
    const known = await this.#known.of(this.#path);
    if (!known) return this.#thread.load();
    await refuseUnvouched(this.#path, known.inputs, this.#options);
    this.#inputs = known.inputs;
    this.#stamp = known.stamp;
    this.#take(known.facts);
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  inputs(): string[] {
    return this.#inputs.map(({ path }) => path);
  }

  /** Ends the thread once no call is open. */
  close(): Promise<void> {
    return this.#thread.retire();
  }

  async #compile(): Promise<ToolFileCode> {
    const { compileTrusted } = await import('./load-tool-file.js');
    const { code, map, inputs } = await compileTrusted(this.#path, this.#options);
    this.#inputs = inputs;
    this.#stamp = stampOfAll(this.inputs());
    return { path: this.#path, code, map };
  }

  #take(facts: ToolFacts[]): boolean {
    const text = JSON.stringify([this.#stamp, facts]);
    if (this.#kept === text) return false;
    this.#kept = text;
    this.#tools = facts.map((each) => threadTool(each, this.#thread));
    return true;
  }

  /** Facts may have changed although the code has not: a description can depend on anything. */
  async #keep(facts: ToolFacts[]): Promise<void> {
    if (this.#take(facts))
      await this.#known.keep(this.#path, { inputs: this.#inputs, stamp: this.#stamp, facts });
  }
}
