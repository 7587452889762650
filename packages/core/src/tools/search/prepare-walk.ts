import { relative } from 'node:path';
import type { IgnoreView } from '@toolwright/machine/host/ignore/ignore.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { fromOutput, type IsHidden, type SearchHost, type SearchPlace } from './place.js';

export interface Scope {
  place: SearchPlace;
  includeIgnored: boolean;
  /** Patterns for file names, in the subset every glob engine shares; empty for all. */
  nameSketches?: readonly string[];
  /** Files that are not to be named, not even as unreadable. */
  hidden?: IsHidden;
}

/** A scope made ready: ripgrep's arguments, and the part of the ignore rules it can't apply itself. */
export interface Walk {
  args: string[];
  /** Path of a file that ripgrep found, as it prints it. */
  isIgnored(output: string): boolean;
  /** The rules, when they count at all. */
  view?: IgnoreView;
  /** Ripgrep knows nothing of git's rules: every file must be judged. */
  leavesAllToView?: true;
}

/**
 * Dot files count, `.git` and links do not. `.gitignore` counts with or without a repository; the user's own
 * excludes and ripgrep's own ignore files do not, so that the answer depends on the workspace alone.
 */
const WALK_ARGUMENTS = [
  '--hidden',
  '--no-follow',
  '--glob=!.git',
  '--no-require-git',
  '--no-ignore-global',
  '--no-ignore-dot',
  '--no-ignore-messages',
  '--color=never',
];

export async function prepareWalk(host: SearchHost, scope: Scope, signal: AbortSignal): Promise<Walk> {
  const { place } = scope;
  const names = (scope.nameSketches ?? []).map(wantedName);
  const wanted = names.length > 0 ? ['--type=wanted'] : [];
  const args = [...WALK_ARGUMENTS, ...leavingOut(host.ignore.leftOut, place), ...names, ...wanted];
  if (place.kind === 'file' || place.isIgnored || scope.includeIgnored) {
    return { args: [...args, '--no-ignore'], isIgnored: () => false };
  }
  const view = host.ignore.view();
  if (!view.areGitFilesRegular(place.path)) {
    return {
      args: [...args, '--no-ignore'],
      isIgnored: (output) => view.isIgnored(fromOutput(place, output), 'file', place.path),
      view,
      leavesAllToView: true,
    };
  }
  const pruning = await pruningArguments(host, { place, view, signal });
  return {
    args: [...args, ...pruning],
    isIgnored: createOwnCheck(view, place),
    view,
  };
}

/** Leaves such folders out of walks that begin above them, also where ignored files count. */
function leavingOut(folders: readonly string[], { root, path }: SearchPlace): string[] {
  return folders
    .filter((folder) => folder !== path && isInside(folder, path))
    .map((folder) => `--glob=!/${relative(root, folder).replace(/[\\*?[\]{}]/g, '\\$&')}`);
}

/** Together with other such arguments: only files whose name fits one of them. */
function wantedName(sketch: string): string {
  return `--type-add=wanted:${sketch}`;
}

/** Files of one folder come in a row, so the folder is looked up only when it changes. */
function createOwnCheck(view: IgnoreView, place: SearchPlace): Walk['isIgnored'] {
  let folder: string | null = null;
  let hasRules = false;
  return (output) => {
    const end = output.lastIndexOf('/');
    if (folder === null || end !== folder.length || !output.startsWith(folder)) {
      folder = output.slice(0, end);
      hasRules = view.hasOwnRules(fromOutput(place, folder));
    }
    return hasRules && view.isIgnoredByOwnFiles(fromOutput(place, output), 'file', place.path);
  };
}

interface Pruning {
  place: SearchPlace;
  view: IgnoreView;
  signal: AbortSignal;
}

/**
 * Arguments with the root's own ignore files, for ripgrep to leave out whole folders by. It knows nothing of such
 * files further down, so where one of those takes something back, nothing is pruned and all is judged afterwards.
 * The same where a rule is of the kind that ripgrep reads its own way.
 */
async function pruningArguments(host: SearchHost, { place, view, signal }: Pruning): Promise<string[]> {
  const inRoot = view.ownFilesIn(place.root);
  if (inRoot.length === 0 || inRoot.some(({ isPlain }) => !isPlain)) return [];
  const pruning = inRoot.map(({ path }) => `--ignore-file=${path}`);
  const wanted = inRoot.map(({ name }) => `--glob=${name}`);
  let takesBack = false;
  await host.ripgrep.run({
    args: [...WALK_ARGUMENTS, ...pruning, ...wanted, '--files', '--null', '--', './'],
    directory: place.root,
    signal,
    separator: 'nul',
    onRecord(record) {
      const path = fromOutput(place, record);
      const isNested = !inRoot.some((file) => file.path === path);
      takesBack = isNested && view.takesBack(path);
      return !takesBack;
    },
  });
  return takesBack ? [] : pruning;
}
