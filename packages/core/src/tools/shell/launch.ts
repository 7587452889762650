import { childEnvironment, searchPath } from '@toolwright/machine/host/processes/child-environment.js';
import type { Launch } from '@toolwright/machine/host/processes/processes.js';
import { afterLinks, isInside } from '@toolwright/machine/host/workspace.js';
import type { ShellHost, ShellParts } from './parts.js';

/** A start of bash that reads no start-up file. */
export function bash(
  args: readonly string[],
  directory: string,
  {
    environment,
    passedNames,
    mayAsk,
  }: Pick<ShellParts, 'environment' | 'passedNames'> & { mayAsk?: boolean },
  values: Readonly<Record<string, string>> = {},
): Launch {
  const names =
    passedNames.length === 0
      ? []
      : Object.keys(environment).filter((name) => passedNames.some((each) => fits(name, each)));
  return {
    program: 'bash',
    args: ['--noprofile', '--norc', ...args],
    directory,
    environment: childEnvironment(environment, { names, values, mayAsk }),
    endsInScript: true,
  };
}

/** Of the machine also where the workspace is `/` or `/usr`. */
const systemFolders: ReadonlySet<string> = new Set([
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
]);

/** For what runs unasked: it is proven of the programs of the machine, not of files of the workspace with their names. */
export function programsOfTheMachine(
  { workspace }: Pick<ShellHost, 'workspace'>,
  { environment }: Pick<ShellParts, 'environment'>,
): Record<string, string> {
  const isInWorkspace = (folder: string): boolean =>
    workspace.roots.some(({ path }) => isInside(folder, path) || isInside(afterLinks(folder), path));
  const { PATH } = environment;
  if (PATH === undefined) return {};
  const kept = searchPath(PATH, (folder) => !systemFolders.has(folder) && isInWorkspace(folder));
  // Without any folder bash would look in the current one.
  return { PATH: kept || [...systemFolders].join(':') };
}

/** `NAME`, or `NAME*` for a prefix. */
function fits(name: string, written: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written;
}
