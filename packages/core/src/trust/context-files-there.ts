import { dirname, join, relative } from 'node:path';
import { DEFAULT_CONTEXT_FILE, OTHER_CONTEXT_FILES } from '@toolwright/machine/base/places/context-names.js';
import { findProjectRoot } from '@toolwright/machine/host/project.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';

/**
 * The context files of a folder and of those around it in its repository, relative to the folder: the model is told of them at
 * the start of a session.
 */
export async function contextFilesThere(
  folder: string,
  names: readonly string[] = [DEFAULT_CONTEXT_FILE],
): Promise<string[]> {
  const root = await findProjectRoot(folder);
  const folders = [folder];
  while (folders[0] !== root && dirname(folders[0]!) !== folders[0]) folders.unshift(dirname(folders[0]!));
  return folders.flatMap((place) => {
    const there = (name: string): boolean => lookAtSync(join(place, name))?.kind === 'file';
    const own = names.filter(there);
    const others = names.includes(DEFAULT_CONTEXT_FILE) ? OTHER_CONTEXT_FILES.filter(there).slice(0, 1) : [];
    return (own.length > 0 ? own : others).map((name) => relative(folder, join(place, name)));
  });
}
