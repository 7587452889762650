import { basename } from 'node:path';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import {
  type FolderFile,
  filesIn,
  hashOfFile,
  stampOfAll,
} from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { changedExtension } from '../../pieces/extension-digests.js';
import type { ConfinementState, RunProgram } from '../programs/program.js';
import type { RegisteredTool, ToolSource } from '../tool-registry.js';
import type { Tool } from '../tools.js';
import type { KnownFacts } from './thread/known-facts.js';
import type { ThreadToolsOptions } from './thread/thread-tools.js';
import { toolFileKind } from './tool-file.js';

export interface ToolFolderOptions extends ThreadToolsOptions {
  run: RunProgram;
  /** The name of the only file in the folder that is meant. */
  only?: string | undefined;
  confinement?: ConfinementState | undefined;
  /** The extension that brings the folder: only programs of it are used. */
  extension?: string | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;
const LARGEST_PROGRAM = 256 * 1024 * 1024;

interface ToolsOfFile {
  tools(): readonly Tool[];
  /** The files they were made of. */
  inputs(): string[];
  /** Ends what runs for them. */
  close(): Promise<void>;
}

/** The tools of one file. Throws with the file, and the line where there is one. */
async function toolsOfFile(
  path: string,
  options: ToolFolderOptions,
  known: () => Promise<KnownFacts>,
): Promise<ToolsOfFile> {
  const kind = toolFileKind(basename(path));
  if (kind === 'manifest') return manifestTool(path, options);
  if (kind === null)
    throw new Error(`${path} is neither a tool file (.ts, .js, .mjs) nor a manifest (.json) of one.`);
  const { ThreadTools } = await import('./thread/thread-tools.js');
  const made = new ThreadTools(path, options, await known());
  try {
    await made.open();
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}

async function manifestTool(path: string, options: ToolFolderOptions): Promise<ToolsOfFile> {
  const bytes = await readSmallFile(path, MAX_BYTES);
  if (bytes === null) throw new Error(`${path} is gone.`);
  await refuseChanged([path], options, new AbortController().signal);
  const { ExecutableTool } = await import('./executable-tool.js');
  const { readManifest } = await import('./manifest.js');
  try {
    const manifest = readManifest(bytes.toString('utf8'), path);
    const { directory, resolve } = options.host.workspace;
    const run: RunProgram = async (program, running) => {
      await refuseChanged(program.words, options, running.signal);
      return options.run(program, running);
    };
    const tool = new ExecutableTool(manifest, {
      run,
      directory,
      resolve,
      readable: [options.folder],
      confinement: options.confinement,
    });
    return { tools: () => [tool], inputs: () => [path], close: async () => undefined };
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Refuses a command line that names files of a vouched folder which have changed since the user vouched for it. */
async function refuseChanged(
  words: readonly string[],
  { folder, vouched, extension }: ToolFolderOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const word of vouched ? words : []) {
    if (!isInside(word, folder)) continue;
    const hash = await hashOfFile(word, LARGEST_PROGRAM, signal);
    if (hash !== null && !(await vouched?.(word, hash)))
      throw new ToolError(
        'denied',
        extension === undefined
          ? `${word} changed since you trusted this folder, so it is not used. Look at it, then: toolwright trust`
          : changedExtension(extension),
      );
  }
}

interface MadeFile {
  made: ToolsOfFile;
  stamp: string;
}

/** A folder of tool files. Asked again it loads what changed; a broken file costs only itself. */
export class FolderSource implements ToolSource {
  readonly kind = 'file';
  readonly name: string;
  readonly #options: ToolFolderOptions;
  readonly #files = new Map<string, MadeFile>();
  /** Problems of files that were told already. */
  readonly #told = new Map<string, string>();
  readonly #strays = new Set<string>();
  #facts: Promise<KnownFacts> | undefined;

  constructor(options: ToolFolderOptions) {
    this.name = `The folder ${options.folder}`;
    this.#options = { ...options, onStray: (message) => this.#noteStray(message) };
  }

  async discover(signal: AbortSignal, problem: (sentence: string) => void): Promise<RegisteredTool[]> {
    const found = toolFilesIn(this.#options);
    this.#tellStrays(problem);
    for (const file of found) {
      signal.throwIfAborted();
      await this.#refreshOrForget(file, problem);
    }
    const paths = found.map(({ path }) => path);
    for (const path of this.#files.keys()) if (!paths.includes(path)) this.#forget(path);
    return paths.flatMap((path) => this.#registered(path));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map(({ made }) => made.close()));
  }

  async #refreshOrForget(file: FolderFile, problem: (sentence: string) => void): Promise<void> {
    try {
      await this.#refresh(file);
      this.#told.delete(file.path);
    } catch (error) {
      this.#forget(file.path);
      const message = messageOf(error);
      if (this.#told.get(file.path) !== message) problem(message);
      this.#told.set(file.path, message);
    }
  }

  async #refresh({ path, size }: FolderFile): Promise<void> {
    const before = this.#files.get(path);
    if (before && before.stamp === stampOfAll(before.made.inputs())) return;
    if (size > MAX_BYTES) throw new Error(`${path} is too large for a tool file.`);
    const made = await toolsOfFile(path, this.#options, () => (this.#facts ??= openFacts(this.#options)));
    this.#forget(path);
    this.#files.set(path, { made, stamp: stampOfAll(made.inputs()) });
  }

  #forget(path: string): void {
    void this.#files.get(path)?.made.close();
    this.#files.delete(path);
  }

  #registered(path: string): RegisteredTool[] {
    const tools = this.#files.get(path)?.made.tools() ?? [];
    return tools.map((tool) => ({ tool, origin: { kind: 'file', path } }));
  }

  #noteStray(message: string): void {
    this.#options.host.log.error(`A tool file threw outside a call: ${message}`);
    this.#strays.add(message);
  }

  #tellStrays(problem: (sentence: string) => void): void {
    for (const message of this.#strays)
      problem(`${message} (thrown outside a call, where nobody waits for it)`);
    this.#strays.clear();
  }
}

function toolFilesIn({ folder, only, extension }: ToolFolderOptions): FolderFile[] {
  const isMeant = (kind: ReturnType<typeof toolFileKind>): boolean =>
    extension === undefined ? kind !== null : kind === 'manifest';
  return filesIn(folder).filter(({ name }) =>
    only === undefined ? isMeant(toolFileKind(name)) : name === only,
  );
}

async function openFacts({ state, folder }: ToolFolderOptions): Promise<KnownFacts> {
  const { openKnownFacts } = await import('./thread/known-facts.js');
  return openKnownFacts(state, folder);
}
