import type { FileDiff, FileDiffEntry } from '../base/content.js';
import { foreignName } from '../base/sentences/foreign-text.js';
import { deletionsFirst, type FileChange, type FileVersion, type LinkVersion } from './change-set.js';

/** The bytes of a version of the file at a path, or null when they can't be shown. */
export type ReadVersion = (version: FileVersion, path: string) => Promise<Uint8Array | null>;

/** Deletions first, one entry for each change, none folded. */
export async function diffOfChanges(
  changes: readonly FileChange[],
  { show, before, after }: { show(path: string): string; before: ReadVersion; after: ReadVersion },
): Promise<FileDiff> {
  const files: FileDiffEntry[] = [];
  for (const change of deletionsFirst(changes, ({ kind }) => kind === 'delete')) {
    const entry = await entryOf(change, { path: foreignName(show(change.path)), before, after });
    files.push({ ...entry, change: change.kind });
  }
  return { kind: 'diff', files };
}

interface EntryVersions {
  path: string;
  before: ReadVersion;
  after: ReadVersion;
}

async function entryOf(change: FileChange, { path, before, after }: EntryVersions): Promise<FileDiffEntry> {
  switch (change.kind) {
    case 'create':
      return textEntry(path, 'none', await after(change.after, change.path));
    case 'modify': {
      if ('target' in change.before) {
        return noted(
          `In place of ${linkTo(change.before)}:`,
          await textEntry(path, 'none', await after(change.after, change.path)),
        );
      }
      const entry = await textEntry(
        path,
        await before(change.before, change.path),
        await after(change.after, change.path),
      );
      const { mode } = change.before;
      return mode === change.after.mode ? entry : noted(modeNote(mode, change.after.mode), entry);
    }
    case 'delete':
      if ('target' in change.before) return noteEntry(path, `Removes ${linkTo(change.before)}.`);
      return textEntry(path, await before(change.before, change.path), 'none');
    case 'symlink':
      return noteEntry(path, `Becomes ${linkTo(change)}${insteadOf(change.before)}.`);
    case 'mode':
      return noteEntry(path, modeNote(change.before, change.after));
  }
}

type Shown = Uint8Array | 'none' | null;

async function textEntry(path: string, before: Shown, after: Shown): Promise<FileDiffEntry> {
  if (before === null || after === null) return noteEntry(path, unshown(before, after));
  const { diffFile } = await import('../base/diff.js');
  const given = (content: Uint8Array | 'none') => (content === 'none' ? null : content);
  return diffFile({ path, before: given(before), after: given(after) });
}

function unshown(before: Shown, after: Shown): string {
  if (before === 'none') return 'A new file, too large to show.';
  if (after === 'none') return 'The whole file, too large to show.';
  return before === null && after !== null
    ? 'The content is another; the earlier one was not kept for comparison.'
    : 'The content is another, too large to show.';
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
