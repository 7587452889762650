import { type SafeDiff, type SafeText, safe } from './safe-text.js';

/** One answer to choose. */
export interface Choice {
  key: string;
  label: SafeText;
  /** The label once the other choices are gone, where it leans on them. */
  chosen?: SafeText;
  /** More may follow the key on the line: the reason of a refusal. */
  takesText?: boolean;
  /** A limit in calls or time may follow the key. */
  takesLimit?: boolean;
}

/** A question to the user as plain data; the asker knows what each answer means. */
export interface Question {
  title: SafeText;
  diff?: SafeDiff;
  text?: SafeText;
  /** One sentence each: what would happen, and why it is asked. */
  facts: readonly SafeText[];
  choices: readonly Choice[];
  /** The choice that changes nothing: taken for an empty answer when not all could be shown. */
  refusal: string;
}

export interface Reply {
  key: string;
  text: string;
}

/** Asks; null when the signal fires first. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Reply | null>;

/** Shows what did not fit; handled by whoever draws, never part of an answer. */
export const viewAll: Choice = { key: 'v', label: safe('show what is hidden') };

const words: Readonly<Record<string, string>> = { yes: 'y', no: 'n', edit: 'e', view: 'v' };

/**
 * The choice a line makes, or null for what is not an answer. An empty line is never a yes: it refuses when
 * part of the question was hidden, else it is asked again.
 */
export function replyOf(
  line: string,
  { choices, refusal }: Pick<Question, 'choices' | 'refusal'>,
  { isLong }: { isLong: boolean },
): Reply | null {
  const answer = line.trim();
  if (answer === '') return isLong ? { key: refusal, text: '' } : null;
  const { choice, text } = chosen(answer, choices);
  if (!choice) return null;
  const mayFollow = text === '' || choice.takesText || (choice.takesLimit && grantLimit(text) !== null);
  return mayFollow ? { key: choice.key, text } : null;
}

/** Explains why a line is not an answer. */
export function whyNoReply(line: string, choices: readonly Choice[]): string {
  const { choice, text } = chosen(line.trim(), choices);
  if (choice?.takesLimit) return `After ${choice.key} there can be ${limitForms}, not ${text}.`;
  if (choice) return `Nothing can follow ${choice.key}. Answer with ${choice.key} alone.`;
  return `Please answer with one of: ${choices.map(({ key }) => key).join(', ')}.`;
}

function chosen(answer: string, choices: readonly Choice[]): { choice: Choice | undefined; text: string } {
  const [first = ''] = answer.split(/\s+/);
  const typed = first.toLowerCase().replace(/[,.:]$/, '');
  const key = words[typed] ?? typed;
  return {
    choice: choices.find((candidate) => candidate.key === key),
    text: answer.slice(first.length).trim(),
  };
}

/** Limit of a remembered yes, in calls or in time. */
type GrantLimit = { uses: number } | { forMs: number };

const MINUTE_MS = 60_000;
const units: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };

/** Reads the limit after the key of an "always"; null when it is none. */
export function grantLimit(text: string): GrantLimit | null {
  const [, digits, unit] = /^([1-9]\d{0,2})([mhd]?)$/i.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return null;
  const count = Number(digits);
  return unit === '' ? { uses: count } : { forMs: count * (units[unit.toLowerCase()] ?? 0) };
}

const limitForms = 'a number of calls (10) or a time (30m, 1h, 7d)';
