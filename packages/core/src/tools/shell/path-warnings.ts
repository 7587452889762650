import { foreignName } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { PathWarning } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { isGitHistory } from '@toolwright/machine/shell/models/git/history.js';

const MOST_NAMED = 8;
const MOST_OF_HISTORY = 2;

/** Warnings, one line for each reason: a commit touches a dozen files for the same one. */
export function warningsOf(flags: readonly PathWarning[], show: (path: string) => string): string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, why } of flags)
    byReason.set(why, [...(byReason.get(why) ?? []), foreignName(show(path))]);
  return [...byReason].map(([why, paths]) => {
    const most = paths.every(isGitHistory) ? MOST_OF_HISTORY : MOST_NAMED;
    const more = paths.length > most ? ` and ${paths.length - most} more` : '';
    return `${paths.slice(0, most).join(', ')}${more}: ${why}`;
  });
}

/** Orders the files of a diff: what is deleted, then what there is a warning about, then the rest. */
export function flaggedFirst<File extends { path: string; change: string }>(
  files: readonly File[],
  flags: readonly PathWarning[],
  show: (path: string) => string,
): File[] {
  const flagged = new Set(flags.map(({ path }) => foreignName(show(path))));
  const rank = ({ path, change }: File): number => (change === 'delete' ? 0 : flagged.has(path) ? 1 : 2);
  return files.toSorted((left, right) => rank(left) - rank(right));
}
