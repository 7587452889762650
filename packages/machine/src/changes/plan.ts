import { createHash } from 'node:crypto';
import type { FileDiff } from '../base/content.js';
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
import { diffOfChanges } from './diff-of-changes.js';

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

export interface PlanOptions {
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

/** From bytes before and after to a change set with its diff. Files that stay as they are drop out. */
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
