import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../state/inspect-files.js';
import { isInside } from '../workspace.js';
import type { CodeSearch } from './code-search.js';
import { couldRun, sourceName } from './could-run.js';

/** A command line as it would be started. */
export interface CommandToRun {
  /** The program and its arguments. */
  words: readonly string[];
  /** Absolute. */
  directory: string;
  /** Variables that are set for it alone. */
  environment?: Readonly<Record<string, string>>;
}

/** A path that is run, and by whom: `the MCP server "notes"`. */
export interface RunCode {
  path: string;
  by: string;
}

export interface RunCodeOptions {
  /** Folders that somebody else may write, absolute and after links: code outside of them does not count. */
  roots: readonly string[];
  /** `PATH`, where programs are looked for. */
  path: string;
}

/**
 * The paths in these folders that a command line would run: the program, scripts, what they import, scripts of
 * package.json, packages. A folder stands for what is in it. Paths that are missing count where whoever made them would
 * be run. Reads files and runs nothing.
 */
export async function codeRunBy(
  { words, directory, environment = {} }: CommandToRun,
  { roots, path }: RunCodeOptions,
): Promise<string[]> {
  const { followCommand } = await import('./follow-command.js');
  const search: CodeSearch = { roots, path, found: new Set(), seen: new Set() };
  await followCommand(search, words, { directory, environment, depth: 0 });
  await addCompiled(search);
  return outermost([...search.found].sort());
}

/** Compiled files that stand beside the source that counts, or in its place. */
async function addCompiled({ found }: CodeSearch): Promise<void> {
  const sources = [...found].filter((path) => path.endsWith('.py'));
  for (const folder of new Set(sources.map((path) => dirname(path))))
    for (const name of await namesIn(folder)) {
      const path = join(folder, name);
      if (found.has(sourceName(path))) found.add(path);
    }
}

/** Sorted, so that a folder stands before what is in it. */
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

/** Whether a path is one of those that run, or a file in a folder of them that could. */
export function isRunCode(path: string, runs: string): boolean {
  // To move a folder away is to move the code in it.
  if (path === runs || sourceName(path) === runs || (isInside(runs, path) && existsSync(runs))) return true;
  return isInside(path, runs) && couldRun(path.slice(runs.length + 1));
}
