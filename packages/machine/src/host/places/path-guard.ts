import { join, relative } from 'node:path';
import type { CommandWords } from '../../base/effect.js';
import {
  fold,
  namesIn,
  type PlaceFound,
  runLaterAt,
  runLaterByName,
  runsWhenAsked,
  secretAt,
} from '../../base/places/places.js';
import {
  runLaterFiles,
  runLaterFolders,
  runLaterInHome,
  runUnasked,
} from '../../base/places/run-later-places.js';
import { secretsInHome } from '../../base/places/secret-places.js';
import { isGitHistory } from '../../shell/models/git/history.js';
import { here, type Place } from '../plain-files/place.js';
import { isRunCode } from '../run-code/run-code.js';
import { fileSystemIn } from '../sandbox/mounts/file-system.js';
import { usualSecrets } from '../sandbox/mounts/secrets.js';
import { isInside, type Workspace } from '../workspace.js';

/** A file or folder that is protected or secret for a reason of its own. */
export interface ReasonedPlace {
  /** Absolute, after links. */
  path: string;
  why: string;
}

/** Paths that are protected only here. */
export interface ProtectedHere {
  /** Hooks and programs of git; with a path, those that may concern it. */
  gitPrograms?(path?: string): readonly ReasonedPlace[];
  /** Code that configured servers and tools run, as of the last look. */
  readonly codeInUse?: { readonly places: readonly ReasonedPlace[] };
}

export function placesProtectedHere(
  { gitPrograms, codeInUse }: ProtectedHere,
  path?: string,
): readonly ReasonedPlace[] {
  return [...(gitPrograms?.(path) ?? []), ...(codeInUse?.places ?? [])];
}

export interface PathGuardOptions {
  workspace: Pick<Workspace, 'rootOf' | 'directory'> & Partial<Pick<Workspace, 'place'>>;
  /** Absolute, after links. */
  home: string;
  /** The user's settings and the state folder. */
  own?: readonly string[];
  alsoProtected?: ProtectedHere | undefined;
}

/** Commands of one call; null where they could not be read. */
type CommandList = readonly CommandWords[] | null;

/** Answers why a path of this workspace is protected or secret. */
export interface PathGuard {
  /**
   * Why a path is protected, or null: something runs what is in it, or it holds rights or secrets of the user. With the
   * commands of a staged run, files that such commands may change like any other do not count.
   */
  protectedReason(path: string, stagedRun?: { commands: CommandList }): string | null;
  /** Why it is protected here only, or null. */
  protectedHere(path: string): string | null;
  /** The kind of secret at a path, or null. A path outside the roots counts only with `everywhere`. */
  secretReason(path: string, reach?: 'everywhere'): string | null;
  /** The secret places that exist in the folders to work in, after links. */
  secretPlaces(): string[];
}

/**
 * Guards protected paths. A folder that the user has opened inside a protected place may be worked in: a name counts below the root, and a
 * listed place where no root lies in it.
 */
export function guardPaths({ workspace, home, own = [], alsoProtected = {} }: PathGuardOptions): PathGuard {
  const { rootOf, directory, place = here } = workspace;
  const fileSystem = fileSystemIn(place);
  const rootAround = (path: string): string => rootOf(path)?.path ?? '/';
  const isOwn = (path: string): boolean => {
    const root = rootAround(path);
    return own.some((each) => isInside(path, each) && (root === each || !isInside(root, each)));
  };
  let links: LinkedPlace[] | undefined;
  // In a project of its own, what the home links to is what the user works on.
  const linked = (): LinkedPlace[] => (links ??= rootOf(home) === undefined ? [] : linkedPlaces(home, place));
  const listed = (path: string, list: typeof secretAt): string | null => {
    const found =
      list(path, home) ?? linked().find((each) => each.list === list && isInside(path, each.place)) ?? null;
    return found && !isInside(rootAround(path), found.place) ? found.why : null;
  };
  const protectedHere = (path: string): string | null =>
    placesProtectedHere(alsoProtected, path).find((place) => isRunCode(path, place.path))?.why ?? null;
  return {
    protectedHere,
    protectedReason(path, stagedRun) {
      if (isOwn(path)) return OWN;
      const shown = relative(rootAround(path), path);
      const isOrdinary = stagedRun !== undefined && isOrdinaryForCommand(shown, stagedRun.commands);
      const secret = listed(path, secretAt);
      return (
        (isOrdinary ? null : protectedByName(path, rootAround(path), directory)) ??
        (secret === null ? null : `it holds ${secret}`) ??
        listed(path, runLaterAt) ??
        protectedHere(path)
      );
    },
    secretReason(path, reach) {
      const isSeen = reach === 'everywhere' || rootOf(path) !== undefined;
      if (!isSeen) return null;
      return isOwn(path) ? 'settings or sessions of Toolwright' : listed(path, secretAt);
    },
    secretPlaces() {
      const isSeen = (path: string): boolean => rootOf(path) !== undefined;
      // Most homes lie outside the roots: then their secrets are told by name, without a look at the disk.
      const usual = usualSecrets(home, { fileSystem, isSeen, onlyPresent: isSeen(home) });
      return [...own, ...usual]
        .filter((path) => isSeen(path) && fileSystem.kindOf(path) !== null)
        .map((path) => fileSystem.realPath(path) ?? path);
    },
  };
}

function protectedByName(path: string, root: string, workspace: string): string | null {
  // A root may lie inside the workspace and hide the name of its own folder.
  const from = isInside(path, workspace) && isInside(root, workspace) ? workspace : root;
  return runLaterByName(isInGitFolder(path) ? '.git' : relative(from, path));
}

interface LinkedPlace extends PlaceFound {
  list: typeof secretAt;
}

/** Real places of listed files in a home that are links, or lie behind one. */
function linkedPlaces(home: string, { realPath }: Place): LinkedPlace[] {
  const names = new Set([
    ...[secretsInHome, runLaterInHome, runLaterFiles, runLaterFolders].flatMap(namesIn),
  ]);
  return [...names].flatMap((name): LinkedPlace[] => {
    const path = join(home, name);
    const place = realPath(path);
    if (place === null || place === path) return [];
    const secret = secretAt(path, home);
    const why = runLaterAt(path, home)?.why ?? runLaterByName(name);
    return [
      ...(secret === null ? [] : [{ place, why: secret.why, list: secretAt }]),
      ...(why === null ? [] : [{ place, why, list: runLaterAt }]),
    ];
  });
}

const OWN = 'it holds settings or sessions of Toolwright';

/** Looks above the roots, too: someone may have been given a folder inside `.git`. */
function isInGitFolder(path: string): boolean {
  return path.split(/[/\\]/).some((segment) => fold(segment) === '.git');
}

const GIT_COMMANDS = new Set([
  ...[
    'add',
    'am',
    'apply',
    'branch',
    'checkout',
    'cherry-pick',
    'clean',
    'commit',
    'fetch',
    'gc',
    'merge',
    'mv',
  ],
  ...['pull', 'push', 'rebase', 'reset', 'restore', 'revert', 'rm', 'stash', 'switch', 'tag', 'update-index'],
]);

/**
 * A protected path, relative to its root, that a command may change like any other: git's history where a command of git is
 * among them, and what packages bring along, which nobody runs from there.
 */
export function isOrdinaryForCommand(relativePath: string, commands: CommandList): boolean {
  const shown = relativePath.split('\\').join('/');
  if (isInGitFolder(shown)) {
    const isGits = commands?.some(isGitCommand) ?? false;
    return isGits && isGitHistory(shown);
  }
  return /(^|\/)node_modules\//.test(shown) && !/(^|\/)\.toolwright(\/|$)/i.test(shown);
}

/** The warning about a change of a command, or null. */
export function warningAbout(
  path: string,
  { protectedReason }: Pick<PathGuard, 'protectedReason'>,
): string | null {
  const reason = protectedReason(path);
  if (reason !== null) return `protected: ${isGitHistory(path) ? 'the history of git' : reason}`;
  return runReason(path);
}

/** Why a file that is not protected may still run as code, or null: a script, a Makefile. */
export function runReason(path: string): string | null {
  return runsWhenAsked(path) ? 'other programs run what is in it' : null;
}

const ALL_NAMES = [...namesIn(runLaterFolders), ...namesIn(runLaterFiles)];

/**
 * Names in a root that a command which works in the root itself must not touch. The first ones it can't even make: an
 * empty folder stands there, which git does not see. To do that with every name would fill the root with folders, and
 * package managers fail where they find a folder instead of a file; those names are told about when they appear.
 */
export const protectedPlaces: { always: readonly string[]; ifThere: readonly string[] } = {
  always: ALL_NAMES.filter((name) => runUnasked.has(name)),
  ifThere: ALL_NAMES.filter((name) => !runUnasked.has(name)),
};

/** The places of `.git` that stay protected, where a command of git may write everything else. */
export const placesInGit: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'info',
  'commondir',
  'modules',
];

export function isGitCommand([name, word]: CommandWords): boolean {
  return name === 'git' && typeof word === 'string' && GIT_COMMANDS.has(word);
}
