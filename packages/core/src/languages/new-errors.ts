import type { SourceError } from '@toolwright/machine/host/language-server/protocol.js';

/** The errors of one text. */
export interface ErrorsIn {
  text: string;
  errors: readonly SourceError[];
}

/**
 * The errors that a change has brought. Lines move when text is put above them, so an error is known again by its message and
 * the text of its line; where the line itself was changed, by its message.
 */
export function newErrors(before: ErrorsIn, after: ErrorsIn): SourceError[] {
  const byLine = without(after.errors, before.errors, lineKeys(after.text), lineKeys(before.text));
  return without(byLine.left, byLine.unmatched, messageKey, messageKey).left;
}

/** The present errors that are among the known ones, wherever they stand by now. */
export function stillThere(known: readonly SourceError[], present: readonly SourceError[]): SourceError[] {
  const others = new Set(without(present, known, messageKey, messageKey).left);
  return present.filter((error) => !others.has(error));
}

type KeyOf = (error: SourceError) => string;

const messageKey: KeyOf = ({ code, message }) => `${code}\0${message}`;

function lineKeys(text: string): KeyOf {
  const lines = text.split('\n');
  return (error) => `${messageKey(error)}\0${lines[error.range.start.line]?.trim() ?? ''}`;
}

/** Each known error accounts for one of the present ones with the same key. */
function without(
  present: readonly SourceError[],
  known: readonly SourceError[],
  keyOf: KeyOf,
  knownKeyOf: KeyOf,
): { left: SourceError[]; unmatched: SourceError[] } {
  const waiting = new Map<string, SourceError[]>();
  for (const error of known) {
    const key = knownKeyOf(error);
    waiting.set(key, [...(waiting.get(key) ?? []), error]);
  }
  const left = present.filter((error) => waiting.get(keyOf(error))?.pop() === undefined);
  return { left, unmatched: [...waiting.values()].flat() };
}
