import { plural } from '../base/amounts.js';
import type { FileDiff } from '../base/content.js';
import type { Effect } from '../base/effect.js';
import type { BlobSource } from '../host/objects/before-images.js';

/** A file's content by hash; where the bytes are is the business of a `BlobSource`. */
export interface FileVersion {
  /** SHA-256 of the bytes, hex. */
  hash: string;
  size: number;
  /** Permission bits. Absent on a file still to be made: it gets what the system gives, and a commit fills it in. */
  mode?: number;
}

/** A symbolic link as it is before or after a change. */
export interface LinkVersion {
  target: string;
}

/**
 * A file that a call would change. Paths are absolute and real: a link is named only by a change to the link itself, a file behind a link
 * by its own path.
 */
export type FileChange =
  | { kind: 'create'; path: string; after: FileVersion }
  | { kind: 'modify'; path: string; before: FileVersion | LinkVersion; after: FileVersion }
  | { kind: 'delete'; path: string; before: FileVersion | LinkVersion }
  | { kind: 'symlink'; path: string; before: FileVersion | LinkVersion | null; target: string }
  /** `hash` is null for a directory. */
  | { kind: 'mode'; path: string; hash: string | null; before: number; after: number };

/** A folder as it is before or after a change. */
export interface DirectoryVersion {
  path: string;
  /** Permission bits. Absent: what the system gives. */
  mode?: number;
}

/** Changes that a call would make to files. Plain data; planned once, then shown, checked, committed, inverted. */
export interface ChangeSet {
  v: 1;
  id: string;
  changes: FileChange[];
  /**
   * Planned: directories wanted for themselves; missing parents need not be named. Committed: all that were
   * made, outermost first, so that undo removes those left empty.
   */
  directories: DirectoryVersion[];
  /** Directories to remove once empty, outermost first; committed: those that were removed. */
  removedDirectories: DirectoryVersion[];
}

/** A change set with its bytes and the diff for the user. */
export interface PlannedChanges {
  changeSet: ChangeSet;
  blobs: BlobSource;
  diff: FileDiff;
}

export interface FileState {
  kind: 'file';
  hash: string;
  size?: number;
  mode?: number;
}

/** The state of a path, as far as a change set cares. */
export type EntryState =
  | { kind: 'absent' }
  | FileState
  | { kind: 'symlink'; target: string }
  | { kind: 'directory'; mode: number }
  /** A device, a socket, a pipe: never what a change expects. */
  | { kind: 'other' };

export function stateBefore(change: FileChange): EntryState {
  switch (change.kind) {
    case 'create':
      return { kind: 'absent' };
    case 'modify':
    case 'delete':
      return stateOf(change.before);
    case 'symlink':
      return change.before ? stateOf(change.before) : { kind: 'absent' };
    case 'mode':
      return modeState(change.hash, change.before);
  }
}

export function stateAfter(change: FileChange): EntryState {
  switch (change.kind) {
    case 'create':
    case 'modify':
      return stateOf(change.after);
    case 'delete':
      return { kind: 'absent' };
    case 'symlink':
      return { kind: 'symlink', target: change.target };
    case 'mode':
      return modeState(change.hash, change.after);
  }
}

function stateOf(version: FileVersion | LinkVersion): EntryState {
  if ('target' in version) return { kind: 'symlink', target: version.target };
  const { hash, size, mode } = version;
  return { kind: 'file', hash, size, mode };
}

function modeState(hash: string | null, mode: number): EntryState {
  return hash === null ? { kind: 'directory', mode } : { kind: 'file', hash, mode };
}

/** The change from one state to another; null where a folder or a device is involved that no change describes. */
export function changeBetween(path: string, before: EntryState, after: EntryState): FileChange | null {
  if (before.kind === 'directory' && after.kind === 'directory') {
    return { kind: 'mode', path, hash: null, before: before.mode, after: after.mode };
  }
  const [old, wanted] = [versionOf(before), versionOf(after)];
  if (old === undefined || wanted === undefined) return null;
  if (wanted === null) return old && { kind: 'delete', path, before: old };
  if ('target' in wanted) return { kind: 'symlink', path, before: old, target: wanted.target };
  if (old === null) return { kind: 'create', path, after: wanted };
  const sameContent = 'hash' in old && old.hash === wanted.hash;
  if (!sameContent || old.mode === undefined || wanted.mode === undefined) {
    return { kind: 'modify', path, before: old, after: wanted };
  }
  return { kind: 'mode', path, hash: old.hash, before: old.mode, after: wanted.mode };
}

function versionOf(state: EntryState): FileVersion | LinkVersion | null | undefined {
  if (state.kind === 'absent') return null;
  if (state.kind === 'symlink') return { target: state.target };
  if (state.kind !== 'file') return undefined;
  const { hash, size = 0, mode } = state;
  return { hash, size, mode };
}

/** Compares an expected state with the present one; a mode counts only where both name one. */
export function sameState(expected: EntryState, present: EntryState): boolean {
  if (expected.kind === 'file' && present.kind === 'file') {
    return expected.hash === present.hash && sameMode(expected.mode, present.mode);
  }
  if (expected.kind === 'symlink' && present.kind === 'symlink') return expected.target === present.target;
  if (expected.kind === 'directory' && present.kind === 'directory') {
    return sameMode(expected.mode, present.mode);
  }
  return expected.kind === 'absent' && present.kind === 'absent';
}

function sameMode(expected: number | undefined, present: number | undefined): boolean {
  return expected === undefined || present === undefined || expected === present;
}

/** Deletions first: what can't be typed again must not be found at the end of a long list. */
export function deletionsFirst<Item>(items: readonly Item[], isDeletion: (item: Item) => boolean): Item[] {
  return [...items.filter(isDeletion), ...items.filter((item) => !isDeletion(item))];
}

/** True if the change set would change nothing. */
export function isEmptyChangeSet(changeSet: ChangeSet): boolean {
  const { changes, directories, removedDirectories } = changeSet;
  return changes.length + directories.length + removedDirectories.length === 0;
}

/** "2 files and 1 folder deleted, 3 files changed, 1 file created". */
export function summarize(changeSet: ChangeSet): string {
  const count = (kind: FileChange['kind']) =>
    changeSet.changes.filter((change) => change.kind === kind).length;
  const said = [
    counted('deleted', [count('delete'), 'file'], [changeSet.removedDirectories.length, 'folder']),
    counted('changed', [count('modify'), 'file']),
    counted(
      'created',
      [count('create'), 'file'],
      [count('symlink'), 'link'],
      [changeSet.directories.length, 'folder'],
    ),
    count('mode') > 0 ? `permissions of ${plural(count('mode'), 'file')} changed` : '',
  ].filter((text) => text !== '');
  return said.length === 0 ? 'nothing changed' : said.join(', ');
}

function counted(verb: string, ...amounts: [number, string][]): string {
  const said = amounts.filter(([amount]) => amount > 0).map(([amount, noun]) => plural(amount, noun));
  const last = said.pop();
  if (last === undefined) return '';
  return `${said.length > 0 ? `${said.join(', ')} and ` : ''}${last} ${verb}`;
}

/** Effects for the permission layer to decide on: one write or delete for each path touched. */
export function effectsOf(changeSet: ChangeSet): Effect[] {
  const deleted = [
    ...changeSet.changes.filter((change) => change.kind === 'delete'),
    ...changeSet.removedDirectories,
  ];
  const written = [
    ...changeSet.changes.filter((change) => change.kind !== 'delete'),
    ...changeSet.directories,
  ];
  return [
    ...deleted.map(({ path }): Effect => ({ kind: 'delete', path })),
    ...written.map(({ path }): Effect => ({ kind: 'write', path })),
  ];
}

/** The change set that takes a committed one back. */
export function invert(changeSet: ChangeSet, id: string): ChangeSet {
  const changes = changeSet.changes.map(invertChange);
  return {
    v: 1,
    id,
    changes: deletionsFirst(changes, (change) => change.kind === 'delete'),
    directories: changeSet.removedDirectories,
    removedDirectories: changeSet.directories,
  };
}

function invertChange(change: FileChange): FileChange {
  const { path } = change;
  switch (change.kind) {
    case 'create':
      return { kind: 'delete', path, before: change.after };
    case 'modify':
      return 'target' in change.before
        ? { kind: 'symlink', path, before: change.after, target: change.before.target }
        : { kind: 'modify', path, before: change.after, after: change.before };
    case 'delete':
      return 'target' in change.before
        ? { kind: 'symlink', path, before: null, target: change.before.target }
        : { kind: 'create', path, after: change.before };
    case 'symlink':
      return invertLink(path, change.before, change.target);
    case 'mode':
      return { kind: 'mode', path, hash: change.hash, before: change.after, after: change.before };
  }
}

function invertLink(path: string, before: FileVersion | LinkVersion | null, target: string): FileChange {
  if (before === null) return { kind: 'delete', path, before: { target } };
  if ('target' in before) return { kind: 'symlink', path, before: { target }, target: before.target };
  return { kind: 'modify', path, before: { target }, after: before };
}
