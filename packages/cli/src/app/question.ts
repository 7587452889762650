import type { SafeDiff, SafeText } from './safe-text.js';

/** An answer to choose. */
export interface Choice {
  key: string;
  label: SafeText;
  /** The label once the question is gone; none where what follows shows it. */
  chosen?: SafeText | null;
  /** A line is typed after the key, behind these words: the reason of a refusal. */
  asksFor?: SafeText;
  /** Agrees to something: on a question that was not seen to its end it takes a typed yes. */
  agrees?: boolean;
  /** Shows the scopes and limits of a yes for more than this once. */
  opensAlways?: boolean;
}

/** A yes to more than this once. */
export interface AlwaysChoice {
  /** The key of a reply for this session, and of one that is saved. */
  session: string;
  saved: string;
  label: SafeText;
  rule: SafeText;
}

/** A question to the user as plain data; the asker knows what each answer means. */
export interface Question {
  title: SafeText;
  /** The call that it is about. */
  callId?: string;
  /** Deletions, and what deserves a second look: shown first. */
  warnings?: readonly SafeText[];
  /** Stands before the changes: the command. */
  command?: SafeText;
  diff?: SafeDiff;
  text?: SafeText;
  /** All that was printed, where the text is only its end. */
  unfolded?: SafeText | undefined;
  /** The facts, a sentence each: what would happen, and why it is asked. */
  facts: readonly SafeText[];
  choices: readonly Choice[];
  /** Choices behind "always". */
  always?: readonly AlwaysChoice[];
  /** Questions that come after this one, which one answer may take together with it. */
  others?: readonly Question[];
  /** The choice that changes nothing. */
  refusal: string;
}

export interface Reply {
  key: string;
  text: string;
}

/** Asks; null when the signal fires first. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Reply | null>;

/** Limit of a remembered yes, in calls or in time. */
type GrantLimit = { uses: number } | { forMs: number };

const MINUTE_MS = 60_000;
const units: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };

/** Reads the limit of an "always"; null when it is none. */
export function grantLimit(text: string): GrantLimit | null {
  const [, digits, unit] = /^([1-9]\d{0,2})([mhd]?)$/i.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return null;
  const count = Number(digits);
  return unit === '' ? { uses: count } : { forMs: count * (units[unit.toLowerCase()] ?? 0) };
}

/** The limits that a key goes through, and their words. */
export const grantLimits: readonly { text: string; words: string }[] = [
  { text: '', words: 'no limit' },
  { text: '10', words: '10 more calls' },
  { text: '30m', words: '30 minutes' },
  { text: '1h', words: '1 hour' },
  { text: '1d', words: '1 day' },
  { text: '7d', words: '7 days' },
];
