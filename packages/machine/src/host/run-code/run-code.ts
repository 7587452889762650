import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../state/inspect-files.js';
import { isInside } from '../workspace.js';
import type { CodeSearch } from './code-search.js';
import { couldRun, sourceName } from './could-run.js';

/** A command line to be started. */
export interface CommandToRun {
  words: readonly string[];
  /** Absolute. */
  directory: string;
  /** Variables set for this command alone. */
  environment?: Readonly<Record<string, string>>;
}

/** A path that runs, and who runs it: `the MCP server "notes"`. */
export interface RunCode {
  path: string;
  by: string;
}

export interface RunCodeOptions {
  /** Folders that others may write, absolute and after links. Code outside does not count. */
  roots: readonly string[];
  /** `PATH`, for finding programs. */
  path: string;
}

/**
 * The paths in the roots that a command line would run: the program, scripts, their imports, scripts of package.json,
 * packages. A folder stands for everything in it. A missing path counts if whoever made it would get it run. Reads
 * files and runs nothing.
 */
export async function codeRunBy(command: CommandToRun, options: RunCodeOptions): Promise<string[]> {
  return outermost(await everyCodeRunBy(command, options));
}

/** The same, sorted, with the files that are known by name although a folder around them counts as a whole. */
export async function everyCodeRunBy(
  { words, directory, environment = {} }: CommandToRun,
  { roots, path }: RunCodeOptions,
): Promise<string[]> {
  const { followCommand } = await import('./follow-command.js');
  const search: CodeSearch = { roots, path, found: new Set(), seen: new Set() };
  await followCommand(search, words, { directory, environment, depth: 0 });
  await addCompiled(search);
  return [...search.found].sort();
}

/** Adds compiled files beside a source that counts, or in its place. */
async function addCompiled({ found }: CodeSearch): Promise<void> {
  const sources = [...found].filter((path) => path.endsWith('.py'));
  for (const folder of new Set(sources.map((path) => dirname(path))))
    for (const name of await namesIn(folder)) {
      const path = join(folder, name);
      if (found.has(sourceName(path))) found.add(path);
    }
}

/** Keeps the outermost of sorted paths: a folder comes before what is in it. */
function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  const folders = new Set<string>();
  for (const path of paths) {
    const segments = path.split('/');
    const isCovered = segments.some((_, index) => folders.has(segments.slice(0, index).join('/')));
    if (isCovered) continue;
    kept.push(path);
    folders.add(path);
  }
  return kept;
}

/** True for a path that runs, and for a file in a folder that runs if it could. */
export function isRunCode(path: string, runs: string): boolean {
  // Moving a folder away moves the code in it.
  if (path === runs || sourceName(path) === runs || (isInside(runs, path) && existsSync(runs))) return true;
  return isInside(path, runs) && couldRun(path.slice(runs.length + 1));
}
