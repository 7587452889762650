import { dirname, join } from 'node:path';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { type Environment, homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

/** Folders outside the roots that a program needs: its package, and the packages beside it. A home is never shown whole. */
export function packageAround(
  file: string,
  { roots, environment }: { roots: readonly string[]; environment: Environment },
): string[] {
  if (roots.some((root) => isInside(file, root))) return [];
  const home = homeDirectory(environment);
  const places = [file];
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (isInside(home, folder)) break;
    if (folder.endsWith('/node_modules')) return [...places, folder];
    if (lookAtSync(join(folder, 'package.json')) !== null) places.push(folder);
  }
  return places;
}
