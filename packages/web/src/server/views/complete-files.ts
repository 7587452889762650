import type { Toolbox } from '@toolwright/core';

const MOST = 30;

/** Files and folders of the workspace that begin with what was typed after an `@`. */
export async function completeFiles(
  { host }: Toolbox,
  typed: string,
  signal: AbortSignal,
): Promise<string[]> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  try {
    const entries = await host.files.list(host.workspace.resolve(folder || '.'), signal);
    return entries
      .filter(({ name }) => !/[\p{C}\s"']/u.test(name))
      .map(({ name, kind }) => `${folder}${name}${kind === 'directory' ? '/' : ''}`)
      .filter((path) => path.startsWith(typed))
      .sort()
      .slice(0, MOST);
  } catch {
    // Outside of the workspace, or no folder: nothing there can be given with @.
    return [];
  }
}
