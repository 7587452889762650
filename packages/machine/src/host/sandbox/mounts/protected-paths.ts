import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '../../workspace.js';
import type { Profile } from '../sandbox.js';
import type { FileSystem } from './file-system.js';
import type { MountPlan } from './mount.js';

/** A file or folder to make before the program starts, as a mount point. */
export interface Placeholder {
  path: string;
  kind: 'file' | 'folder';
}

interface Protection {
  placeholders: Placeholder[];
  unprotected: string[];
}

/**
 * Protects paths inside the roots. Every folder between a root and a protected path becomes a mount: a mount can't be
 * renamed, so nobody moves the folder away and puts another in its place.
 */
export function protectPaths(plan: MountPlan, profile: Profile, fileSystem: FileSystem): Protection {
  const result: Protection = { placeholders: [], unprotected: [] };
  const there = (profile.protectedIfThere ?? []).filter(
    (path) => fileSystem.kindOf(placeholderAt(path).path) !== null,
  );
  for (const given of [...(profile.protectedPaths ?? []), ...there]) {
    const { path, kind } = placeholderAt(given);
    const root = innermostRoot(path, profile.roots);
    if (root === null || plan.deciding(path)?.kind !== 'writable') continue;
    if (path === root) plan.put({ kind: 'read-only', path });
    else if (!protectBelow(root, { path, kind }, { plan, fileSystem, result })) result.unprotected.push(path);
  }
  if (profile.protectedIfThere !== undefined) holdHidden(plan, profile, fileSystem);
  return result;
}

/**
 * Keeps folders with hidden files from being moved away: a rule knows a file by its path. Not needed where changes are
 * examined before they are kept.
 */
function holdHidden(plan: MountPlan, { hidden = [], roots }: Profile, fileSystem: FileSystem): void {
  for (const given of hidden) {
    const path = fileSystem.realPath(given) ?? given;
    const root = innermostRoot(path, roots);
    if (root === null || fileSystem.kindOf(path) === null) continue;
    for (let place = dirname(path); place !== root && isInside(place, root); place = dirname(place))
      if (!plan.has(place) && plan.deciding(place)?.kind === 'writable')
        plan.put({ kind: 'writable', path: place });
  }
}

/** A given path that ends in a slash is a folder. */
export function placeholderAt(given: string): Placeholder {
  const isFolder = given.endsWith('/');
  return { path: isFolder ? given.slice(0, -1) : given, kind: isFolder ? 'folder' : 'file' };
}

function innermostRoot(path: string, roots: readonly string[]): string | null {
  const around = roots.filter((root) => isInside(path, root));
  return around.reduce<string | null>(
    (inner, root) => (root.length > (inner?.length ?? 0) ? root : inner),
    null,
  );
}

interface ProtectionState {
  plan: MountPlan;
  fileSystem: FileSystem;
  result: Protection;
}

/** False when a link is on the path. */
function protectBelow(
  root: string,
  { path, kind }: Placeholder,
  { plan, fileSystem, result }: ProtectionState,
): boolean {
  let place = root;
  for (const segment of relative(root, path).split(sep)) {
    place = join(place, segment);
    const found = fileSystem.kindOf(place);
    if (found === 'link') return false;
    if (found === null) {
      // The program has no more rights than we have.
      if (!fileSystem.canWrite(dirname(place))) return true;
      result.placeholders.push({ path: place, kind: place === path ? kind : 'folder' });
      plan.put({ kind: 'read-only', path: place });
      return true;
    }
    if (place !== path && !plan.has(place)) plan.put({ kind: 'writable', path: place });
  }
  plan.put({ kind: 'read-only', path });
  return true;
}
