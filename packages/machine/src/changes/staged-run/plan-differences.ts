import { dirname } from 'node:path';
import type { FileDiff } from '../../base/content.js';
import { foreignName, foreignText } from '../../base/sentences/foreign-text.js';
import type { PathPolicy } from '../../host/files/denied-paths.js';
import { type PathGuard, warningAbout } from '../../host/places/path-guard.js';
import { here, type Place } from '../../host/plain-files/place.js';
import {
  canRead,
  type Difference,
  type EntryKind,
  hashEntry,
  readWhole,
  type TreeEntry,
} from '../../host/staging/tree-entry.js';
import { isInside, type Workspace } from '../../host/workspace.js';
import { follow } from '../../shell/paths.js';
import { Unreadable } from '../../shell/shell-word.js';
import {
  type ChangeSet,
  changeBetween,
  type DirectoryVersion,
  deletionsFirst,
  type EntryState,
  type FileChange,
  sameState,
  stateAfter,
  stateBefore,
} from '../change-set.js';
import { diffOfChanges, type ReadVersion } from '../plan.js';
import type { PathWarning, Refused } from './staged-run.js';

export interface PlannedDifferences {
  changeSet: ChangeSet;
  refused: Refused[];
  /** The places where the bytes of new versions lie, by hash. */
  contents: Map<string, TreeEntry>;
  /** The same for the versions that go. */
  replaced: Map<string, TreeEntry>;
}

/** Node reads no more at once. */
const MOST_READABLE_BYTES = 2 ** 31 - 1;
const SET_IDENTITY = 0o6000;

/** Makes a change set of two trees that differ; what no change set may hold is named instead. */
export async function planDifferences(
  differences: readonly Difference[],
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<PlannedDifferences> {
  const changes: { change: FileChange; at: bigint }[] = [];
  const directories: DirectoryVersion[] = [];
  const removedDirectories: DirectoryVersion[] = [];
  const refused: Refused[] = [];
  const contents: PlannedDifferences['contents'] = new Map();
  const replaced: PlannedDifferences['replaced'] = new Map();
  for (const difference of differences) {
    const { path, before, after } = difference;
    const why = await refusal(difference, signal);
    if (why !== null) {
      refused.push({ path, why });
      continue;
    }
    const areFolders = before?.kind === 'directory' && after?.kind === 'directory';
    if (!areFolders && before?.kind === 'directory') removedDirectories.push(folder(path, before));
    if (!areFolders && after?.kind === 'directory') directories.push(folder(path, after));
    const from = await stateOf(before, { areFolders, contents: replaced, signal });
    const to = await stateOf(after, { areFolders, contents, signal });
    const change = sameState(from, to) ? null : changeBetween(path, from, to);
    if (change) changes.push({ change, at: after?.mtimeNs ?? 0n });
  }
  return {
    changeSet: { v: 1, id, changes: inOrder(changes), directories, removedDirectories },
    refused,
    contents,
    replaced,
  };
}

/** Orders changes by the time of writing, so that a build finds its products newer than what they were made from. */
function inOrder(changes: { change: FileChange; at: bigint }[]): FileChange[] {
  const sorted = changes.toSorted((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
  return deletionsFirst(
    sorted.map(({ change }) => change),
    ({ kind }) => kind === 'delete',
  );
}

function folder(path: string, { mode }: TreeEntry): DirectoryVersion {
  return { path, mode: mode & 0o777 };
}

interface EntryStateOptions {
  /** True if a folder is a state of its own; else its place counts as free. */
  areFolders: boolean;
  contents: Map<string, TreeEntry>;
  signal: AbortSignal;
}

async function stateOf(entry: TreeEntry | null, options: EntryStateOptions): Promise<EntryState> {
  if (entry?.kind === 'file') {
    const hash = await hashEntry(entry, options.signal);
    options.contents.set(hash, entry);
    return { kind: 'file', hash, size: entry.size, mode: entry.mode & 0o777 };
  }
  if (entry?.kind === 'symlink') return { kind: 'symlink', target: entry.target ?? '' };
  if (entry?.kind === 'directory' && options.areFolders)
    return { kind: 'directory', mode: entry.mode & 0o777 };
  return { kind: 'absent' };
}

const NAMES: Partial<Record<EntryKind, string>> = {
  pipe: 'a pipe',
  socket: 'a socket',
  device: 'a device',
};

async function refusal({ before, after }: Difference, signal: AbortSignal): Promise<string | null> {
  const made = after && NAMES[after.kind];
  if (made) return `${made}: only files, folders and links are kept`;
  const gone = before && NAMES[before.kind];
  if (gone) return `${gone} was there: only files, folders and links are changed, so it stays`;
  if (before?.target === null || after?.target === null) return 'a link whose target is not UTF-8';
  for (const entry of [before, after]) {
    if (entry?.kind === 'file' && entry.size > MOST_READABLE_BYTES) return 'larger than 2 GiB';
    if (entry?.kind === 'file' && !canRead(entry)) return 'its content may not be read';
  }
  if (after?.kind === 'file' && (after.mode & SET_IDENTITY) !== 0 && !(await isSame(before, after, signal))) {
    return `mode ${after.mode.toString(8)} lets it run as somebody else (setuid or setgid)`;
  }
  return null;
}

async function isSame(before: TreeEntry | null, after: TreeEntry, signal: AbortSignal): Promise<boolean> {
  if (before?.kind !== 'file' || before.mode !== after.mode || before.size !== after.size) return false;
  return (await hashEntry(before, signal)) === (await hashEntry(after, signal));
}

const LARGEST_SHOWN_BYTES = 1024 * 1024;
const MOST_SHOWN_BYTES = 16 * 1024 * 1024;

export interface ShownDiff {
  diff: FileDiff;
  /** The replaced versions that were read for it, by path. */
  before: Map<string, Uint8Array>;
}

interface ShownDiffOptions {
  contents: ReadonlyMap<string, TreeEntry>;
  replaced: ReadonlyMap<string, TreeEntry>;
  show(path: string): string;
  refusal?: PathPolicy;
}

/** Names every change, and shows the text of as many as a user could look at. */
export async function showChanges(
  changes: readonly FileChange[],
  { contents, replaced, show, refusal }: ShownDiffOptions,
): Promise<ShownDiff> {
  const before: ShownDiff['before'] = new Map();
  const withheld = new Map<string, string>();
  let read = 0;
  const reasonToWithhold = (path: string, size: number): string | null => {
    if (refusal?.('read', path)) return 'Its content is not shown: a rule keeps it back.';
    const isTooMuch = size <= LARGEST_SHOWN_BYTES && read + size > MOST_SHOWN_BYTES;
    return isTooMuch ? 'Its content is not shown: the others are long enough already.' : null;
  };
  const reader =
    (entries: ReadonlyMap<string, TreeEntry>, seen?: typeof before): ReadVersion =>
    async ({ hash, size }, path) => {
      const entry = entries.get(hash);
      const reason = reasonToWithhold(path, size);
      if (reason !== null) withheld.set(foreignName(show(path)), reason);
      if (!entry || size > LARGEST_SHOWN_BYTES || reason !== null) return null;
      read += size;
      const bytes = await readWhole(entry.at);
      seen?.set(path, bytes);
      return bytes;
    };
  const byPath = changes.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const diff = await diffOfChanges(byPath, {
    show,
    before: reader(replaced, before),
    after: reader(contents),
  });
  const files = diff.files.map((file) => ({ ...file, unified: withheld.get(file.path) ?? file.unified }));
  return { diff: { ...diff, files }, before };
}

const MAY_RUN = 0o111;

interface FlagOptions extends Pick<Workspace, 'roots'>, Partial<Pick<Workspace, 'place'>> {
  /** Knows the paths that are protected; without it none is. */
  guard?: Pick<PathGuard, 'protectedReason'>;
}

/** Changes that deserve a second look before a change set is kept. */
export function flagsOf(
  changes: readonly FileChange[],
  { roots, place = here, guard }: FlagOptions,
): PathWarning[] {
  return changes.flatMap((change) => {
    const { path } = change;
    const reasons = [guard ? warningAbout(path, guard) : null, runReason(change)];
    const leaves = linkReason(change, roots, place);
    return [
      ...reasons.flatMap((why) => (why === null ? [] : [{ path, why }])),
      ...(leaves === null ? [] : [{ path, why: leaves, leaves: true as const }]),
    ];
  });
}

function linkReason(change: FileChange, roots: Workspace['roots'], place: Place): string | null {
  if (change.kind !== 'symlink') return null;
  const leadsTo = targetOf(change, place);
  if (leadsTo === null) return 'a link that may leave the workspace: it names more folders than are followed';
  return roots.some(({ path }) => isInside(leadsTo, path))
    ? null
    : `a link that leaves the workspace, to ${foreignText(leadsTo)}`;
}

/** The target of a link; null where it has too many folders to be followed. */
function targetOf({ path, target }: FileChange & { kind: 'symlink' }, { afterLinks }: Place): string | null {
  try {
    return follow(dirname(path), target, { realPath: afterLinks });
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function runReason(change: FileChange): string | null {
  const [before, after] = [stateBefore(change), stateAfter(change)];
  if (after.kind !== 'file' || ((after.mode ?? 0) & MAY_RUN) === 0) return null;
  const couldRun = before.kind === 'file' && ((before.mode ?? 0) & MAY_RUN) !== 0;
  return couldRun ? null : 'a new executable';
}
