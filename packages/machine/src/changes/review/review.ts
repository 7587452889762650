import { createHash } from 'node:crypto';
import type { FileDiffEntry } from '../../base/content.js';
import { foreignName } from '../../base/sentences/foreign-text.js';
import { type ChangeSet, type FileChange, type PlannedChanges, summarize } from '../change-set.js';
import type { PathWarning } from '../staged-run/staged-run.js';
import { repositoryOf } from './repositories.js';

/** An entry of a change set that the user can keep or drop. */
export interface ReviewItem {
  /** Absolute. */
  path: string;
  change: FileChange['kind'] | 'make-folder' | 'remove-folder';
  added: number;
  removed: number;
  /** Reasons for a second look: a protected path, a file that other programs run, a link that leaves the workspace. */
  warnings: string[];
  /** The change as text, for the user. */
  unified: string;
  /** The git repository that is kept as a whole with this entry. */
  repository?: string;
}

/** A change set as the user looks at it. */
export interface Review {
  /** Names exactly these changes: what is kept must be what was shown. */
  digest: string;
  /** "2 files deleted, 3 files changed". */
  summary: string;
  /** Deletions first, then items with warnings, then the others by path. */
  items: ReviewItem[];
}

export interface ReviewOptions {
  flags: readonly PathWarning[];
  show(path: string): string;
}

export function reviewOf({ changeSet, diff }: PlannedChanges, { flags, show }: ReviewOptions): Review {
  const texts = new Map(diff.files.map((file) => [file.path, file]));
  const warnings = new Map<string, string[]>();
  for (const { path, why } of flags) warnings.set(path, [...(warnings.get(path) ?? []), why]);
  const describe = (path: string, change: ReviewItem['change'], text?: FileDiffEntry): ReviewItem => ({
    path,
    change,
    added: text?.added ?? 0,
    removed: text?.removed ?? 0,
    warnings: warnings.get(path) ?? [],
    unified: text?.unified ?? '',
    repository: repositoryOf(path) ?? undefined,
  });
  const items = [
    ...changeSet.changes.map(({ path, kind }) => describe(path, kind, texts.get(foreignName(show(path))))),
    ...changeSet.directories.map(({ path }) => describe(path, 'make-folder')),
    ...changeSet.removedDirectories.map(({ path }) => describe(path, 'remove-folder')),
  ];
  return { digest: digestOf(changeSet), summary: summarize(changeSet), items: inOrder(items) };
}

function inOrder(items: readonly ReviewItem[]): ReviewItem[] {
  return items.toSorted(
    (left, right) =>
      rankOf(left) - rankOf(right) || (left.path < right.path ? -1 : Number(left.path > right.path)),
  );
}

function rankOf({ change, warnings }: ReviewItem): number {
  if (change === 'delete' || change === 'remove-folder') return 0;
  return warnings.length > 0 ? 1 : 2;
}

/** SHA-256 of the changes, whatever the id of their set. */
function digestOf({ changes, directories, removedDirectories }: ChangeSet): string {
  const text = JSON.stringify([changes, directories, removedDirectories]);
  return createHash('sha256').update(text).digest('hex');
}
