import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../../workspace.js';
import type { OutsidePlace, Profile } from '../sandbox.js';
import type { FileSystem } from './file-system.js';
import { createMountPlan, type Mount, type MountPlan } from './mount.js';
import { putOutside } from './outside-places.js';
import { type Placeholder, protectPaths } from './protected-paths.js';
import { isInAny, usualSecrets } from './secrets.js';
import { systemPlaces } from './usual-places.js';

/** The surroundings of a program, beside its profile. */
export interface Surroundings {
  home: string;
  /** Folder that stands for the home; without it the home is in memory. */
  homeFolder?: string | undefined;
  stateFolder: string;
  /** The program and what it needs, wherever they are. */
  programs: readonly string[];
  /** See `toolchainPlaces`. */
  toolchains: readonly string[];
}

export interface PlannedMounts {
  /** Folders before what is in them. */
  mounts: Mount[];
  /** Missing protected paths that must exist, empty, while the program runs. */
  placeholders: Placeholder[];
  /** Files of a scratch home to copy in and out. */
  seeds: OutsidePlace[];
  unprotected: string[];
  /** True if a folder of the host is visible inside. */
  sees(path: string): boolean;
}

/** Plans everything a program sees. Nothing else exists for the program. */
export function planMounts(
  profile: Profile,
  surroundings: Surroundings,
  fileSystem: FileSystem,
): PlannedMounts {
  const plan = createMountPlan();
  putSystem(plan, profile, fileSystem);
  putHome(plan, profile, surroundings);
  for (const root of profile.roots)
    plan.put({ kind: profile.workspace === 'writable' ? 'writable' : 'read-only', path: root });
  for (const path of profile.writable ?? []) {
    if (plan.deciding(path)?.kind !== 'writable' && fileSystem.kindOf(path) !== null)
      plan.put({ kind: 'writable', path });
  }
  const programs = surroundings.programs.filter((path) => fileSystem.kindOf(path) !== null);
  const repositories = repositoryPlaces(profile.roots, surroundings.home, fileSystem);
  const { readable = [], outside = { read: [], write: [] } } = profile;
  const written = new Set(outside.write.map(({ path }) => path));
  for (const path of [...surroundings.toolchains, ...programs, ...repositories])
    if (!plan.has(path) && !written.has(path)) show(plan, path, fileSystem);
  const hidden = hiddenPaths(profile, surroundings, fileSystem);
  for (const path of hidden) hide(plan, path, fileSystem);
  for (const path of readable) show(plan, path, fileSystem);
  const seeds = putOutside(plan, outside, {
    home: surroundings.home,
    hidden: profile.hidden ?? [],
    fileSystem,
  });
  // The mounts added since may show some hidden paths again.
  if (readable.length + outside.read.length + outside.write.length > 0)
    for (const path of hidden) hide(plan, path, fileSystem);
  const { placeholders, unprotected } =
    profile.workspace === 'writable'
      ? protectPaths(plan, profile, fileSystem)
      : { placeholders: [], unprotected: [] };
  // If the whole disk is a root, the links of the host are there already.
  const mounts = plan.inOrder().filter(({ kind, path }) => kind !== 'link' || !plan.shows(dirname(path)));
  return {
    mounts,
    placeholders,
    seeds,
    unprotected,
    sees: (path) => plan.shows(path) || plan.has(path) || path === '/',
  };
}

function putSystem(
  plan: MountPlan,
  { network, roots, temporaryFolder }: Profile,
  fileSystem: FileSystem,
): void {
  for (const path of systemPlaces) {
    const kind = fileSystem.kindOf(path);
    const target = kind === 'link' ? fileSystem.linkTarget(path) : null;
    if (target !== null) plan.put({ kind: 'link', path, target });
    else if (kind === 'folder') plan.put({ kind: 'read-only', path });
  }
  plan.put({ kind: 'devices', path: '/dev' });
  plan.put({ kind: 'processes', path: '/proc' });
  // Holds the sockets of system services.
  plan.put({ kind: roots.includes('/') ? 'sealed' : 'bare', path: '/run' });
  plan.put(
    temporaryFolder === undefined
      ? { kind: 'empty', path: '/tmp' }
      : { kind: 'writable', path: '/tmp', from: temporaryFolder },
  );
  plan.put({ kind: 'link', path: '/var/tmp', target: '/tmp' });
  plan.put({ kind: 'link', path: '/var/run', target: '/run' });
  // Often a link to a path that is not visible.
  const names = network === 'open' ? fileSystem.realPath('/etc/resolv.conf') : null;
  if (names !== null && !plan.shows(names)) plan.put({ kind: 'read-only', path: names });
}

/**
 * Gives the program a home of its own, unless a root contains the real one. It is removed afterwards, unless the
 * profile keeps one for the program.
 */
function putHome(plan: MountPlan, { roots, home: kept }: Profile, { home, homeFolder }: Surroundings): void {
  const isWorkedIn = roots.some((root) => isInside(home, root));
  if (home === '/' || isWorkedIn) return;
  const from = kept ?? homeFolder;
  plan.put(from === undefined ? { kind: 'empty', path: home } : { kind: 'scratch', path: home, from });
}

/** Makes a path of the host visible, and its real path if links lead there. */
function show(plan: MountPlan, path: string, fileSystem: FileSystem): void {
  const real = fileSystem.realPath(path);
  if (real === null) return;
  if (!plan.shows(real)) plan.put({ kind: 'read-only', path: real });
  if (real !== path && !plan.shows(path) && plan.deciding(path)?.kind !== 'link')
    plan.put({ kind: 'read-only', path, from: real });
}

/** Hidden paths that exist, after links. */
function hiddenPaths(
  profile: Profile,
  { home, stateFolder }: Surroundings,
  fileSystem: FileSystem,
): string[] {
  const all = [
    ...(profile.hidden ?? []),
    stateFolder,
    ...usualSecrets(home, { fileSystem, isSeen: isInAny(seenPlaces(profile)), onlyPresent: true }),
  ];
  return all
    .filter((path) => fileSystem.kindOf(path) !== null)
    .map((path) => fileSystem.realPath(path))
    .filter((path) => path !== null);
}

function seenPlaces({ roots, readable = [], outside }: Profile): string[] {
  const places = [...(outside?.read ?? []), ...(outside?.write ?? [])];
  return [...roots, ...readable, ...places.map(({ real }) => real)];
}

/** Paths the program could not read anyway need no mount, nor do empty read-only ones. */
function hide(plan: MountPlan, path: string, fileSystem: FileSystem): void {
  const own = plan.shows(path) && !plan.has(path) ? [path] : [];
  const places = [...own, ...plan.aliases(path)];
  // Most of them are out of sight, and need no look at the disk.
  if (places.length === 0 || !fileSystem.canRead(path)) return;
  const isFolder = fileSystem.kindOf(path) === 'folder';
  for (const place of places) {
    if (fileSystem.isEmpty(path) && plan.deciding(place)?.kind === 'read-only') continue;
    plan.put({ kind: isFolder ? 'sealed' : 'unreadable', path: place });
  }
}

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
