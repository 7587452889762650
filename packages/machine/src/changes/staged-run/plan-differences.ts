import { canRead, hashEntry } from '../../host/staging/read-entry.js';
import type { Difference, EntryKind, TreeEntry } from '../../host/staging/tree-entry.js';
import {
  type ChangeSet,
  changeBetween,
  type DirectoryVersion,
  deletionsFirst,
  type EntryState,
  type FileChange,
  sameState,
} from '../change-set.js';
import type { Refused } from './staged-run.js';

export interface PlannedDifferences {
  changeSet: ChangeSet;
  refused: Refused[];
  /** The places where the bytes of new versions lie, by hash. */
  contents: Map<string, TreeEntry>;
  /** The same for the versions that go. */
  replaced: Map<string, TreeEntry>;
}

/** Node reads no more at once. */
const MOST_BYTES = 2 ** 31 - 1;
const SET_IDENTITY = 0o6000;

/** From two trees that differ to a change set; what no change set may hold is named instead. */
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

/** In the order in which they were written, so that a build finds its products newer than what they were made from. */
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
  /** Only then is a folder a state of its own; else its place counts as free. */
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
    if (entry?.kind === 'file' && entry.size > MOST_BYTES) return 'larger than 2 GiB';
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
