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
import type { ToolSource } from '../tool-registry.js';
import type { Tool } from '../tools.js';
import type { ToolHost } from './define-tool.js';
import { ExecutableTool } from './executable-tool.js';
import { readManifest } from './manifest.js';
import { type CompileOptions, compileTrusted } from './thread/load-tool-file.js';
import type { ThreadScript } from './thread/running-thread.js';
import type { ToolFacts } from './thread/tool-facts.js';
import type { ToolThread } from './thread/tool-thread.js';
import { toolFileKind } from './tool-file.js';

export interface ToolFolderOptions extends CompileOptions {
  host: ToolHost;
  /** The script that threads of tool files run. */
  thread(): Promise<ThreadScript>;
  /** Called for errors a tool file throws outside any call, with one line that names their place. */
  onStray?(message: string): void;
  run: RunProgram;
  /** The name of the only file in the folder that is meant. */
  only?: string | undefined;
  confinement?: ConfinementState | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;
const LARGEST_PROGRAM = 256 * 1024 * 1024;

interface ToolsOfFile {
  tools(): Tool[];
  /** The files they were made of. */
  inputs: string[];
  /** Runs their code; manifests have none. */
  thread?: ToolThread;
}

/** The tools of one file. Throws with the file, and the line where there is one. */
async function toolsOfFile(path: string, options: ToolFolderOptions): Promise<ToolsOfFile> {
  const kind = toolFileKind(basename(path));
  if (kind === null)
    throw new Error(`${path} is neither a tool file (.ts, .js, .mjs) nor a manifest (.json) of one.`);
  return kind === 'module' ? moduleTools(path, options) : manifestTool(path, options);
}

/** A file that has not changed since it last ran is not run: its thread starts with the first call. */
async function moduleTools(path: string, options: ToolFolderOptions): Promise<ToolsOfFile> {
  const { code, map, inputs } = await compileTrusted(path, options);
  const { ToolThread } = await import('./thread/tool-thread.js');
  const { threadTool } = await import('./thread/thread-tool.js');
  const { openKnownFacts } = await import('./thread/known-facts.js');
  const { host, onStray = () => undefined } = options;
  const known = openKnownFacts(options.state, path, inputs);
  let tools: Tool[] = [];
  const take = (facts: readonly ToolFacts[]): void => {
    tools = facts.map((each) => threadTool(each, thread));
  };
  const thread = new ToolThread({
    file: { path, code, map },
    host,
    script: await options.thread(),
    onStray,
    // Descriptions may depend on more than the code.
    async onFacts(facts) {
      if (await known.keep(facts)) take(facts);
    },
  });
  try {
    const facts = await known.read();
    if (facts) take(facts);
    else await thread.load();
  } catch (error) {
    await thread.retire();
    throw error;
  }
  return { tools: () => tools, inputs: inputs.map((input) => input.path), thread };
}

async function manifestTool(path: string, options: ToolFolderOptions): Promise<ToolsOfFile> {
  const bytes = await readSmallFile(path, MAX_BYTES);
  if (bytes === null) throw new Error(`${path} is gone.`);
  await refuseChanged([path], options, new AbortController().signal);
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
    return { tools: () => [tool], inputs: [path] };
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

interface KnownFile extends ToolsOfFile {
  stamp: string;
}

/** A folder of tool files. Asked again it loads what changed; a broken file costs only itself. */
export function folderSource(options: ToolFolderOptions): ToolSource {
  const known = new Map<string, KnownFile>();
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
      const files = toolFilesIn(options);
      for (const message of strays) problem(`${message} (thrown outside a call, where nobody waits for it)`);
      strays.clear();
      for (const file of files) {
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
      const paths = files.map(({ path }) => path);
      for (const path of known.keys()) if (!paths.includes(path)) forget(path);
      return paths.flatMap((path) => toolsFrom(path, known.get(path)));
    },
    async close() {
      await Promise.all([...known.values()].map(({ thread }) => thread?.retire()));
    },
  };

  function forget(path: string): void {
    void known.get(path)?.thread?.retire();
    known.delete(path);
  }

  async function refresh({ path, size }: FolderFile): Promise<void> {
    const before = known.get(path);
    if (before && before.stamp === stampOfAll(before.inputs)) return;
    if (size > MAX_BYTES) throw new Error(`${path} is too large for a tool file.`);
    const made = await toolsOfFile(path, { ...options, onStray });
    forget(path);
    known.set(path, { ...made, stamp: stampOfAll(made.inputs) });
  }
}

function toolFilesIn({ folder, only }: ToolFolderOptions): FolderFile[] {
  return filesIn(folder).filter(({ name }) =>
    only === undefined ? toolFileKind(name) !== null : name === only,
  );
}

function toolsFrom(path: string, file: ToolsOfFile | undefined) {
  return (file?.tools() ?? []).map((tool) => ({ tool, origin: { kind: 'file' as const, path } }));
}
