import { type Review, type ReviewHunk, type ReviewItem, wordDeletions } from '@toolwright/core/front-end';
import type { Question } from '../app/question.js';
import { type SafeDiff, type SafeText, safe, safeLine } from '../app/safe-text.js';

/** The short form of a path. */
type Show = (path: string) => string;

export interface ReviewQuestionOptions {
  title: string;
  show: Show;
  /** The words for keeping nothing. */
  leave?: string;
  /** The words for dropping all, where that is another choice. */
  drop?: string;
  /** More facts, a sentence each. */
  facts?: readonly string[];
}

/** Asks what becomes of all changes. */
export function reviewQuestion(
  { summary, items }: Review,
  { title, show, leave = 'drop them: the workspace stays as it is', drop, facts = [] }: ReviewQuestionOptions,
): Question {
  return {
    title: safeLine(title),
    warnings: warningsOf(items, show),
    // Right below a change a number at the left would read as that of a line.
    facts: [`In all: ${summary}.`, ...facts].map(safeLine),
    diff: items.map((item) => fileOf(item, show)),
    choices: [
      { key: 'y', label: safe('keep all changes'), agrees: true },
      { key: 's', label: safe('choose which to keep, file by file') },
      ...(drop === undefined ? [] : [{ key: 'd', label: safe(drop) }]),
      { key: 'n', label: safe(leave) },
    ],
    refusal: 'n',
  };
}

const MOST_NAMED = 8;

/** What would be deleted, then a line for each reason to look twice: a commit touches a dozen files for the same one. */
export function warningsOf(items: readonly ReviewItem[], show: Show): SafeText[] {
  const pathsOf = (change: ReviewItem['change']): string[] =>
    items.filter((item) => item.change === change).map(({ path }) => show(path));
  const byReason = new Map<string, string[]>();
  for (const { path, warnings } of items)
    for (const why of warnings) byReason.set(why, [...(byReason.get(why) ?? []), show(path)]);
  const reasons = [...byReason].map(([why, paths]) => {
    const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
    return `Check first: ${paths.slice(0, MOST_NAMED).join(', ')}${more}: ${why}.`;
  });
  return [...wordDeletions(pathsOf('delete'), pathsOf('remove-folder')), ...reasons].map(safeLine);
}

const changeWords: Partial<Record<ReviewItem['change'], string>> = {
  'make-folder': 'make folder',
  'remove-folder': 'remove folder',
};

function fileOf(item: ReviewItem, show: Show): SafeDiff[number] {
  const { path, change, unified, added, removed } = item;
  return {
    path: safeLine(show(path)),
    change: safe(changeWords[change] ?? change),
    unified: safe(unified),
    added,
    removed,
  };
}

/** The word for what a change takes away. */
const removals: Partial<Record<ReviewItem['change'], string>> = { delete: 'file', 'remove-folder': 'folder' };

export interface FileQuestionOptions {
  show: Show;
  /** The number, counted from 1. */
  number: number;
  count: number;
  hunks: number;
}

/** Asks about one file of many, or about all that changed in a git repository. */
export function fileQuestion(
  items: readonly ReviewItem[],
  { show, number, count, hunks }: FileQuestionOptions,
): Question {
  const [{ path, change, repository = path }] = items as [ReviewItem];
  const isWhole = items.length > 1;
  const gone = isWhole ? undefined : removals[change];
  const name = isWhole
    ? `the ${items.length} changes of ${show(repository)}`
    : `${gone ? 'the deletion of ' : ''}${show(path)}`;
  const [goes, stays] = gone ? [`: the ${gone} is deleted`, `: the ${gone} stays`] : ['', ''];
  const parts = hunks > 1 ? [{ key: 'p', label: safe(`choose among its ${hunks} parts`) }] : [];
  return {
    title: safeLine(`Keep ${name}? (${number} of ${count})`),
    warnings: isWhole
      ? warningsOf(items, show)
      : items.flatMap(({ warnings }) => warnings.map((why) => safeLine(`Check first: ${why}.`))),
    facts: [
      ...(isWhole ? [safe('A git repository is kept as a whole.')] : []),
      ...(change === 'remove-folder' ? [safe('A folder stays while anything in it is left out.')] : []),
    ],
    diff: items.map((item) => fileOf(item, show)),
    choices: [
      { key: 'y', label: safe(isWhole ? 'keep them' : `keep it${goes}`), agrees: true },
      { key: 'n', label: safe(isWhole ? 'leave them out' : `leave it out${stays}`) },
      ...parts,
      { key: 'a', label: safe(`keep ${isWhole ? 'them' : 'it'}, and all that follow`), agrees: true },
      { key: 'd', label: safe(`leave ${isWhole ? 'them' : 'it'} out, and all that follow`) },
    ],
    refusal: 'n',
  };
}

/** Asks about one part of a file. */
export function hunkQuestion(
  { unified }: ReviewHunk,
  { name, number, count }: { name: string; number: number; count: number },
): Question {
  const marked = (mark: string): number => unified.split('\n').filter((row) => row.startsWith(mark)).length;
  const file = { path: safeLine(name), change: safe('modify'), unified: safe(unified) };
  return {
    title: safeLine(`Keep part ${number} of ${count} of ${name}?`),
    facts: [],
    diff: [{ ...file, added: marked('+'), removed: marked('-') }],
    choices: [
      { key: 'y', label: safe('keep it'), agrees: true },
      { key: 'n', label: safe('leave it out') },
    ],
    refusal: 'n',
  };
}
