import { createHash } from 'node:crypto';
import type { FileDiff, FileDiffEntry } from '../base/content.js';
import { foreignName } from '../base/sentences/foreign-text.js';
import type { Files } from '../host/files/files.js';
import {
  type ChangeSet,
  changeBetween,
  type DirectoryVersion,
  deletionsFirst,
  type EntryState,
  type FileChange,
  type FileVersion,
  type LinkVersion,
  type PlannedChanges,
  sameState,
} from './change-set.js';

/** A file with its bytes, or a link. */
export type Content = { bytes: Uint8Array; mode?: number; hash?: string } | LinkVersion;

export interface PlannedFile {
  /** Absolute and real, as in `FileContent.realPath`. */
  path: string;
  /** The present content; null when nothing is there. */
  before: Content | null;
  /** The wanted content. A file without a mode keeps the one it has, a new one gets what the system gives. */
  after: Content | null;
}

interface PlanOptions {
  id: string;
  files: readonly PlannedFile[];
  /** Directories wanted for themselves; those that new files need are made anyway. */
  directories?: readonly DirectoryVersion[];
  removedDirectories?: readonly DirectoryVersion[];
  /** The form of a path for the user. */
  show(path: string): string;
  /** The diff for the user, where the planner knows it already. */
  diff?: FileDiff;
}

/** Makes a change set with its diff of the bytes before and after. Files that stay as they are drop out. */
export async function planChanges(options: PlanOptions): Promise<PlannedChanges> {
  const bytes = new Map<string, Uint8Array>();
  const changes = options.files.flatMap((file) => changeOf(file, bytes) ?? []);
  refuseDuplicates(changes);
  const changeSet: ChangeSet = {
    v: 1,
    id: options.id,
    changes: deletionsFirst(changes, ({ kind }) => kind === 'delete'),
    directories: [...(options.directories ?? [])],
    removedDirectories: [...(options.removedDirectories ?? [])],
  };
  const read = async ({ hash }: FileVersion) => bytes.get(hash) ?? null;
  return {
    changeSet,
    blobs: {
      async read(hash) {
        const found = bytes.get(hash);
        if (!found) throw new Error(`no content for ${hash} in this plan`);
        return found;
      },
    },
    diff:
      options.diff ??
      (await diffOfChanges(changeSet.changes, { show: options.show, before: read, after: read })),
  };
}

function changeOf({ path, before, after }: PlannedFile, bytes: Map<string, Uint8Array>): FileChange | null {
  const from = stateOf(before, bytes);
  const to = stateOf(after, bytes);
  const keepsMode = from.kind === 'file' && from.mode !== undefined && to.kind === 'file';
  const wanted = keepsMode ? { ...to, mode: to.mode ?? from.mode } : to;
  return sameState(from, wanted) ? null : changeBetween(path, from, wanted);
}

/** The content at a path; null where there is no file and no link. */
export async function contentAt(
  files: Pick<Files, 'lstat' | 'read' | 'readLink'>,
  path: string,
  signal: AbortSignal,
): Promise<Content | null> {
  const found = await files.lstat(path);
  if (found?.kind === 'symlink') return { target: await files.readLink(path) };
  if (found?.kind !== 'file') return null;
  const { bytes, hash, stat } = await files.read(path, { signal });
  return { bytes, hash, mode: stat.mode };
}

function stateOf(content: Content | null, bytes: Map<string, Uint8Array>): EntryState {
  if (content === null) return { kind: 'absent' };
  if ('target' in content) return { kind: 'symlink', target: content.target };
  const hash = content.hash ?? createHash('sha256').update(content.bytes).digest('hex');
  bytes.set(hash, content.bytes);
  return { kind: 'file', hash, size: content.bytes.byteLength, mode: content.mode };
}

function refuseDuplicates(changes: readonly FileChange[]): void {
  const paths = new Set<string>();
  for (const { path } of changes) {
    if (paths.has(path)) throw new Error(`two changes of ${path} in one change set`);
    paths.add(path);
  }
}

/** The bytes of a version of the file at a path, or null when they can't be shown. */
export type ReadVersion = (version: FileVersion, path: string) => Promise<Uint8Array | null>;

/** Deletions first, one entry for each change, none folded. */
export async function diffOfChanges(
  changes: readonly FileChange[],
  { show, ...versions }: Omit<EntryVersions, 'path'> & { show(path: string): string },
): Promise<FileDiff> {
  const files: FileDiffEntry[] = [];
  for (const change of deletionsFirst(changes, ({ kind }) => kind === 'delete')) {
    const entry = await entryOf(change, { path: foreignName(show(change.path)), ...versions });
    files.push({ ...entry, change: change.kind });
  }
  return { kind: 'diff', files };
}

interface EntryVersions {
  path: string;
  before: ReadVersion;
  after: ReadVersion;
  /** Longer diffs are told by their size alone. */
  mostCharacters?: number;
}

async function entryOf(change: FileChange, versions: EntryVersions): Promise<FileDiffEntry> {
  const { path, before, after } = versions;
  switch (change.kind) {
    case 'create':
      return textEntry(versions, 'none', await after(change.after, change.path));
    case 'modify': {
      if ('target' in change.before) {
        return noted(
          `In place of ${linkTo(change.before)}:`,
          await textEntry(versions, 'none', await after(change.after, change.path)),
        );
      }
      const entry = await textEntry(
        versions,
        await before(change.before, change.path),
        await after(change.after, change.path),
      );
      const { mode } = change.before;
      return mode === change.after.mode ? entry : noted(modeNote(mode, change.after.mode), entry);
    }
    case 'delete':
      if ('target' in change.before) return noteEntry(path, `Removes ${linkTo(change.before)}.`);
      return textEntry(versions, await before(change.before, change.path), 'none');
    case 'symlink':
      return noteEntry(path, `Becomes ${linkTo(change)}${insteadOf(change.before)}.`);
    case 'mode':
      return noteEntry(path, modeNote(change.before, change.after));
  }
}

type Shown = Uint8Array | 'none' | null;

async function textEntry(
  { path, mostCharacters }: EntryVersions,
  before: Shown,
  after: Shown,
): Promise<FileDiffEntry> {
  if (before === null || after === null) return noteEntry(path, unshown(before, after));
  const { diffFile } = await import('../base/diff.js');
  const given = (content: Uint8Array | 'none') => (content === 'none' ? null : content);
  return diffFile({ path, before: given(before), after: given(after), mostCharacters });
}

function unshown(before: Shown, after: Shown): string {
  if (before === 'none') return 'A new file, too large to show.';
  if (after === 'none') return 'The whole file, too large to show.';
  return before === null && after !== null
    ? 'The content is different; the earlier version was not kept for comparison.'
    : 'The content is different, and too large to show.';
}

function noteEntry(path: string, unified: string): FileDiffEntry {
  return { path, change: 'modify', unified, added: 0, removed: 0 };
}

function noted(note: string, entry: FileDiffEntry): FileDiffEntry {
  return { ...entry, unified: `${note}\n${entry.unified}` };
}

function linkTo({ target }: LinkVersion): string {
  return `a link to ${JSON.stringify(target)}`;
}

function insteadOf(before: FileVersion | LinkVersion | null): string {
  if (before === null) return '';
  return 'target' in before ? `; it was ${linkTo(before)}` : '; it was a file';
}

function modeNote(before: number | undefined, after: number | undefined): string {
  const octal = (mode: number | undefined) => mode?.toString(8).padStart(4, '0') ?? 'as it comes';
  return `Mode ${octal(before)} becomes ${octal(after)}.`;
}
