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
  { folder, vouched }: ToolFolderOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const word of vouched ? words : []) {
    if (!isInside(word, folder)) continue;
    const hash = await hashOfFile(word, LARGEST_PROGRAM, signal);
    if (hash !== null && !(await vouched?.(word, hash)))
      throw new ToolError(
        'denied',
        `${word} changed since you trusted this folder, so it is not used. Look at it, then: toolwright trust`,
      );
  }
}

interface MadeFile {
  made: ToolsOfFile;
  stamp: string;
}

/** A folder of tool files. Asked again it loads what changed; a broken file costs only itself. */
export function folderSource(options: ToolFolderOptions): ToolSource {
  const files = new Map<string, MadeFile>();
  let opened: Promise<KnownFacts> | undefined;
  const knownFacts = () => (opened ??= openFacts(options));
  const told = new Map<string, string>();
  const strays = new Set<string>();
  const onStray = (message: string): void => {
    options.host.log.error(`A tool file threw outside a call: ${message}`);
    strays.add(message);
  };
  return {
    kind: 'file',
    name: `The folder ${options.folder}`,
    async discover(signal, problem) {
      const found = toolFilesIn(options);
      for (const message of strays) problem(`${message} (thrown outside a call, where nobody waits for it)`);
      strays.clear();
      for (const file of found) {
        signal.throwIfAborted();
        await refresh(file).then(
          () => told.delete(file.path),
          (error: unknown) => {
            forget(file.path);
            if (told.get(file.path) !== messageOf(error)) problem(messageOf(error));
            told.set(file.path, messageOf(error));
          },
        );
      }
      const paths = found.map(({ path }) => path);
      for (const path of files.keys()) if (!paths.includes(path)) forget(path);
      return paths.flatMap(registered);
    },
    async close() {
      await Promise.all([...files.values()].map(({ made }) => made.close()));
    },
  };

  function registered(path: string): RegisteredTool[] {
    const tools = files.get(path)?.made.tools() ?? [];
    return tools.map((tool) => ({ tool, origin: { kind: 'file', path } }));
  }

  function forget(path: string): void {
    void files.get(path)?.made.close();
    files.delete(path);
  }

  async function refresh({ path, size }: FolderFile): Promise<void> {
    const before = files.get(path);
    if (before && before.stamp === stampOfAll(before.made.inputs())) return;
    if (size > MAX_BYTES) throw new Error(`${path} is too large for a tool file.`);
    const made = await toolsOfFile(path, { ...options, onStray }, knownFacts);
    forget(path);
    files.set(path, { made, stamp: stampOfAll(made.inputs()) });
  }
}

function toolFilesIn({ folder, only }: ToolFolderOptions): FolderFile[] {
  return filesIn(folder).filter(({ name }) =>
    only === undefined ? toolFileKind(name) !== null : name === only,
  );
}

async function openFacts({ state, folder }: ToolFolderOptions): Promise<KnownFacts> {
  const { openKnownFacts } = await import('./thread/known-facts.js');
  return openKnownFacts(state, folder);
}
