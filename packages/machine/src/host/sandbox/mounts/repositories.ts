import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../../workspace.js';
import type { FileSystem } from './file-system.js';

/**
 * The git repositories that the roots belong to, if they begin above a root or keep their data elsewhere, as a
 * worktree does. Without them git would not work inside. A home that is a repository stays hidden.
 */
export function repositoryPlaces(roots: readonly string[], home: string, fileSystem: FileSystem): string[] {
  const places = roots.flatMap((root) => {
    const top = topOf(root, fileSystem);
    if (top === null) return [];
    return [...(top === root ? [] : [top]), ...dataElsewhere(join(top, '.git'), fileSystem)];
  });
  return [...new Set(places)].filter((place) => !isInside(home, place));
}

function topOf(folder: string, fileSystem: FileSystem): string | null {
  const kind = fileSystem.kindOf(join(folder, '.git'));
  if (kind === 'folder' || kind === 'file') return folder;
  return dirname(folder) === folder ? null : topOf(dirname(folder), fileSystem);
}

/** The folders that a `.git` file leads to: the one it names, and the one that worktrees share. */
function dataElsewhere(git: string, fileSystem: FileSystem): string[] {
  if (fileSystem.kindOf(git) !== 'file') return [];
  const named = /^gitdir: (.+)$/m.exec(fileSystem.text(git) ?? '')?.[1];
  const data = named === undefined ? null : resolve(dirname(git), named.trim());
  if (data === null || !belongsTogether(git, data, fileSystem)) return [];
  const shared = fileSystem.text(join(data, 'commondir'))?.trim();
  return [data, ...(shared ? [isAbsolute(shared) ? shared : resolve(data, shared)] : [])];
}

/** Anybody may have written a `.git` file: the repository must know of it, as a worktree or submodule. */
function belongsTogether(git: string, data: string, fileSystem: FileSystem): boolean {
  if (fileSystem.text(join(data, 'gitdir'))?.trim() === git) return true;
  const above = topOf(dirname(dirname(git)), fileSystem);
  return above !== null && isInside(data, join(above, '.git', 'modules'));
}
