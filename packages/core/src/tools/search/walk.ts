import { ToolError } from '../../base/errors.js';
import type { IgnoreView } from '../../host/ignore.js';
import type { RipgrepEnd } from '../../host/ripgrep.js';
import {
  fromOutput,
  type IsHidden,
  type Place,
  placeArguments,
  quoteUnlessPlain,
  type SearchHost,
} from './place.js';

/** What of a place is looked at. */
export interface Scope {
  place: Place;
  includeIgnored: boolean;
  /** Patterns for file names, in the subset every glob engine shares; empty for all. */
  nameSketches?: readonly string[];
  /** Files that are not to be named, not even as unreadable. */
  hidden?: IsHidden;
}

/** A scope made ready: ripgrep's arguments, and the part of the ignore rules it can't apply itself. */
export interface Walk {
  args: string[];
  /** Of a file that ripgrep found, as it prints it. */
  isIgnored(output: string): boolean;
}

/**
 * Dot files count, `.git` and links do not. `.gitignore` counts with or without a repository; the person's own
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
  const names = (scope.nameSketches ?? []).map((sketch) => `--type-add=wanted:${sketch}`);
  const args = [...WALK_ARGUMENTS, ...names, ...(names.length > 0 ? ['--type=wanted'] : [])];
  const { place } = scope;
  if (place.kind === 'file' || place.isIgnored || scope.includeIgnored) {
    return { args: [...args, '--no-ignore'], isIgnored: () => false };
  }
  const view = host.ignore.view();
  const pruning = await pruningArguments(host, { place, view, signal });
  return {
    args: [...args, ...pruning],
    isIgnored: createOwnCheck(view, place),
  };
}

/** Files of one folder come in a row, so the folder is looked up only when it changes. */
function createOwnCheck(view: IgnoreView, place: Place): Walk['isIgnored'] {
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
  place: Place;
  view: IgnoreView;
  signal: AbortSignal;
}

/**
 * Arguments with the root's own ignore files, for ripgrep to leave out whole folders by. It knows nothing of such files further
 * down, so where one of those takes something back, nothing is pruned and all is judged afterwards. The same where
 * a rule is of the kind that ripgrep reads its own way.
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

export interface Listing extends Scope {
  signal: AbortSignal;
  timeoutMs?: number;
  /** How many levels below the place; all unless told. */
  maxDepth?: number;
  /** Absolute path of a file, and the same from the place on; return false to stop. */
  onFile(path: string, inside: string): boolean | undefined;
}

export interface WalkEnd {
  /** The walk did not come to its end. */
  stopped: RipgrepEnd['stopped'];
  /** One line per folder or file that could not be read. */
  problems: string[];
}

/** Every wanted file in the place, in no particular order. */
export async function listFiles(host: SearchHost, listing: Listing): Promise<WalkEnd> {
  const walk = await prepareWalk(host, listing, listing.signal);
  const { place } = listing;
  const [, start = ''] = placeArguments(place);
  const skipped = start.endsWith('/') ? start.length : start.length + 1;
  const end = await host.ripgrep.run({
    args: [
      ...walk.args,
      '--files',
      '--null',
      ...(listing.maxDepth === undefined ? [] : [`--max-depth=${listing.maxDepth}`]),
      ...placeArguments(place),
    ],
    directory: place.root,
    signal: listing.signal,
    timeoutMs: listing.timeoutMs,
    separator: 'nul',
    onRecord(record) {
      if (walk.isIgnored(record)) return true;
      return listing.onFile(fromOutput(place, record), record.slice(skipped));
    },
  });
  return { stopped: end.stopped, problems: readProblems(end, listing) };
}

const MAX_PROBLEMS = 5;
const READ_PROBLEM = /^rg: (\.\/.*): (.+?)(?: \(os error \d+\))?$/;

/** What could not be read, from ripgrep's messages; one that is not about a path is a failure of the whole search. */
export function readProblems(end: RipgrepEnd, { place, hidden }: Scope): string[] {
  if (end.exitCode === 2 && !end.stderr.startsWith('rg: ./')) throw ripgrepFailure(end.stderr);
  const problems = end.stderr.split('\n').flatMap((line) => {
    const [, path, why] = READ_PROBLEM.exec(line) ?? [];
    if (path === undefined || hidden?.(fromOutput(place, path))) return [];
    return [`${path === './' ? '.' : quoteUnlessPlain(path.slice(2))}: ${why}`];
  });
  const more = problems.length - MAX_PROBLEMS;
  return more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more`] : problems;
}

/** In ripgrep's own words, less its advice about options that are not offered here. */
function ripgrepFailure(stderr: string): ToolError {
  const message = stderr
    .replace(/^rg: /, '')
    .split(/\n\nConsider enabling /)[0]!
    .trim();
  if (/^(?:regex parse error|the literal |error parsing|regex could not be compiled)|regex/i.test(message)) {
    return new ToolError(
      'invalid_params',
      `The pattern can't be used: ${message}\nPatterns are Rust regular expressions; set literal to search for the text as it stands.`,
    );
  }
  return new ToolError('failed', `ripgrep failed: ${message || 'it gave no reason'}`);
}
