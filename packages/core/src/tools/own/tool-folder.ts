import { basename } from 'node:path';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { hashOfFile } from '@toolwright/machine/host/state/inspect-files.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { type FolderFile, listFolder, stampOfAll } from '@toolwright/machine/host/tool-files/list-folder.js';
import { type LoadOptions, loadToolFile } from '@toolwright/machine/host/tool-files/load-tool-file.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { ConfinementState, RunProgram } from '../programs/program.js';
import type { RegisteredTool, ToolSource } from '../tool-registry.js';
import type { Tool } from '../tools.js';
import type { ToolHost } from './define-tool.js';
import { ExecutableTool } from './executable-tool.js';
import { fileTool } from './file-tool.js';
import { readManifest } from './manifest.js';
import { toolsIn } from './tool-shape.js';

export interface ToolFolderOptions extends LoadOptions {
  host: ToolHost;
  run: RunProgram;
  /** The name of the only file in the folder that is meant. */
  only?: string | undefined;
  confinement?: ConfinementState | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;
const LARGEST_PROGRAM = 256 * 1024 * 1024;

/** Kinds of files in a folder of tools: code, a manifest, or neither, such as a test or the program of a manifest. */
export function toolFileKind(name: string): 'module' | 'manifest' | null {
  if (/^[._]|\.test\.\w+$|\.d\.ts$|^(package|package-lock|tsconfig)\.json$/.test(name)) return null;
  if (/\.(ts|js|mjs)$/.test(name)) return 'module';
  return name.endsWith('.json') ? 'manifest' : null;
}

interface ToolsOfFile {
  tools: RegisteredTool[];
  /** The files they were made of. */
  inputs: string[];
}

/** The tools of one file. Throws with the file, and the line where there is one. */
async function toolsOfFile(path: string, options: ToolFolderOptions): Promise<ToolsOfFile> {
  const kind = toolFileKind(basename(path));
  if (kind === null)
    throw new Error(`${path} is neither a tool file (.ts, .js, .mjs) nor a manifest (.json) of one.`);
  const { tools, inputs } =
    kind === 'module' ? await moduleTools(path, options) : await manifestTool(path, options);
  return { tools: tools.map((tool) => ({ tool, origin: { kind: 'file', path } })), inputs };
}

async function moduleTools(
  path: string,
  options: ToolFolderOptions,
): Promise<{ tools: Tool[]; inputs: string[] }> {
  const { exports, inputs, placeOf } = await loadToolFile(path, options);
  try {
    return { tools: toolsIn(exports, options.host).map((tool) => fileTool(tool, path, placeOf)), inputs };
  } catch (error) {
    throw new Error(`${placeOf(error) ?? path}: ${messageOf(error)}`, { cause: error });
  }
}

async function manifestTool(
  path: string,
  options: ToolFolderOptions,
): Promise<{ tools: Tool[]; inputs: string[] }> {
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
    return {
      tools: [
        new ExecutableTool(manifest, {
          run,
          directory,
          resolve,
          readable: [options.folder],
          confinement: options.confinement,
        }),
      ],
      inputs: [path],
    };
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
      const files = listFolder(options.folder).filter(({ name }) =>
        options.only === undefined ? toolFileKind(name) !== null : name === options.only,
      );
      for (const message of strays) problem(`${message} (thrown outside a call, where nobody waits for it)`);
      strays.clear();
      for (const file of files) {
        signal.throwIfAborted();
        await refresh(file).then(
          () => told.delete(file.path),
          (error: unknown) => {
            known.delete(file.path);
            if (told.get(file.path) !== messageOf(error)) problem(messageOf(error));
            told.set(file.path, messageOf(error));
          },
        );
      }
      return files.flatMap(({ path }) => known.get(path)?.tools ?? []);
    },
  };

  async function refresh({ path, size }: FolderFile): Promise<void> {
    const before = known.get(path);
    if (before && before.stamp === stampOfAll(before.inputs)) return;
    if (size > MAX_BYTES) throw new Error(`${path} is too large for a tool file.`);
    const { tools, inputs } = await toolsOfFile(path, { ...options, onStray });
    known.set(path, { tools, inputs, stamp: stampOfAll(inputs) });
  }
}
