import { type InputLine, inputOf } from './input-line.js';

/** Earlier prompts, and where among them the arrow keys have led. */
export interface History {
  /** Oldest first. */
  entries: readonly string[];
  /** Counted from the end; 0 is the line being written. */
  back: number;
  /** The line being written, kept while looking at earlier ones. */
  draft: string;
}

const MAX_ENTRIES = 10_000;

export const emptyHistory: History = { entries: [], back: 0, draft: '' };

export function withEntry({ entries }: History, text: string): History {
  const kept = entries.at(-1) === text ? entries : [...entries, text].slice(-MAX_ENTRIES);
  return { entries: kept, back: 0, draft: '' };
}

/** Moves one step back (1) or forth (-1); null at either end. */
export function browsed(
  history: History,
  input: InputLine,
  step: 1 | -1,
): { history: History; input: InputLine } | null {
  const back = history.back + step;
  if (back < 0 || back > history.entries.length) return null;
  const draft = history.back === 0 ? input.text : history.draft;
  const text = back === 0 ? draft : (history.entries.at(-back) ?? '');
  return { history: { ...history, back, draft }, input: inputOf(text) };
}
