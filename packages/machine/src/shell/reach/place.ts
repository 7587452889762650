import { dirname } from 'node:path';
import { projectFile } from '../../base/places/project-files.js';
import type { AnalysisContext } from '../analysis.js';
import { isInside, rootsOf } from '../paths.js';

/** Files by which git knows a repository. */
const repositoryFile = /^(?:\.git|HEAD)$/i;

const MOST_NAMES = 5_000;

export interface RunPlace {
  directories: readonly string[];
  context: AnalysisContext;
}

/**
 * The folders a program may run in that are not what a rule is about. A rule is about the folders the user opened,
 * and those below that bring nothing of their own for programs to run.
 */
export function foreignFolders(program: string, { directories, context }: RunPlace): string[] {
  const roots = rootsOf(context);
  return directories.filter((directory) => {
    if (roots.includes(directory)) return false;
    const real = context.realPath?.(directory) ?? directory;
    if (![directory, real].every((path) => roots.some((root) => isInside(path, root)))) return true;
    // `./run` is another program in each folder.
    if (program.includes('/') && !program.startsWith('/')) return true;
    const own = program === 'git' ? repositoryFile : projectFile;
    return belowRoot(real, roots).some((folder) => hasName(folder, own, context));
  });
}

function belowRoot(directory: string, roots: readonly string[]): string[] {
  return roots.includes(directory) || dirname(directory) === directory
    ? []
    : [directory, ...belowRoot(dirname(directory), roots)];
}

/** True where a folder has such a name, or can't be read. */
function hasName(folder: string, names: RegExp, { entriesOf }: AnalysisContext): boolean {
  const entries = entriesOf?.(folder, MOST_NAMES) ?? null;
  return entries === null || entries.some(({ name }) => names.test(name));
}
