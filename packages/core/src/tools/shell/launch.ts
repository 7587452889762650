import { childEnvironment, searchPath } from '@toolwright/machine/host/processes/child-environment.js';
import type { Launch } from '@toolwright/machine/host/processes/processes.js';
import { afterLinks, isInside } from '@toolwright/machine/host/workspace.js';
import { type Confinement, namesPassed } from '../programs/run-confined.js';
import type { ShellHost } from './call.js';

/** A start of bash that reads no start-up file; `options` are further ones of bash. */
export function bash(
  script: string,
  directory: string,
  needs: Pick<Confinement, 'environment' | 'passedNames'> & { mayAsk?: boolean },
  { values = {}, options = [] }: { values?: Readonly<Record<string, string>>; options?: string[] } = {},
): Launch {
  const { environment, mayAsk } = needs;
  return {
    program: 'bash',
    // A script that begins with - or + is no option.
    args: ['--noprofile', '--norc', ...options, '-c', '--', script],
    directory,
    environment: childEnvironment(environment, { names: namesPassed(needs), values, mayAsk }),
    endsInScript: true,
  };
}

/** Folders whose programs belong to the machine even where the workspace is `/` or `/usr`. */
const systemFolders: ReadonlySet<string> = new Set([
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
]);

/** A PATH for commands that run unasked: the proof is about programs of the machine, not about files of the workspace with their names. */
export function programsOfTheMachine(
  { workspace }: Pick<ShellHost, 'workspace'>,
  { environment }: Pick<Confinement, 'environment'>,
): Record<string, string> {
  const isInWorkspace = (folder: string): boolean =>
    workspace.roots.some(({ path }) => isInside(folder, path) || isInside(afterLinks(folder), path));
  const { PATH } = environment;
  if (PATH === undefined) return {};
  const kept = searchPath(PATH, (folder) => !systemFolders.has(folder) && isInWorkspace(folder));
  // Without any folder bash would look in the current one.
  return { PATH: kept || [...systemFolders].join(':') };
}
