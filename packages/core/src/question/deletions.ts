import { plural } from '@toolwright/machine/base/amounts.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';

const MOST_NAMES = 20;
export const LONGEST_NAME = 150;

/** The deletions of a question, which stand first in it: `Deletes 2 files and 1 folder: a.ts, old/b.ts, old/`. None where nothing is deleted. */
export function wordDeletions(files: readonly string[], folders: readonly string[]): string[] {
  const names = [...files, ...folders.map((path) => `${path}/`)];
  return names.length === 0 ? [] : [`Deletes ${countDeletions(files, folders)}: ${nameDeletions(names)}`];
}

export function countDeletions(files: readonly string[], folders: readonly string[]): string {
  return [
    ...(files.length > 0 ? [plural(files.length, 'file')] : []),
    ...(folders.length > 0 ? [plural(folders.length, 'folder')] : []),
  ].join(' and ');
}

export function nameDeletions(names: readonly string[]): string {
  return listed(
    names.map((path) => foreignText(path, LONGEST_NAME)),
    ', ',
  );
}

/** Names so many of them that it stays a sentence. */
export function listed(items: readonly string[], separator: string): string {
  const more = items.length - MOST_NAMES;
  return [...items.slice(0, MOST_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}
