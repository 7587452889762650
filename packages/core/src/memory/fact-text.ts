import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';

export const MAX_FACT_CHARACTERS = 1_000;

/** A fact on one line: blanks and line ends become single blanks, hidden characters visible. */
export function cleanFact(fact: string): string {
  return terminalSafe(fact.replace(/\s+/g, ' ').trim()).normalize('NFC');
}

/** Facts that differ in case, blanks, a full stop at the end or the way a letter is composed only are the same fact. */
export function factKey(fact: string): string {
  return cleanFact(fact)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s?\.$/, '');
}

/** Characters that begin a heading, list, quotation, fence, table or rule at the start of an item. */
const LEADING_MARK = /^(?:[#>+*\-=~|_:]|\d+(?=[.)]))/;
/** A code span that hides nothing is left readable. */
const PLAIN_CODE = /(`[^`\\<>@[]+`)(?!`)/;

/**
 * A clean fact as Markdown that is nothing but text: no structure, no HTML or comment, no link or picture, no
 * import. A backslash before punctuation says that it is meant literally.
 */
export function escapeFact(clean: string): string {
  const escaped = clean
    .split(PLAIN_CODE)
    .map((piece, index) => (index % 2 === 1 ? piece : escapePiece(piece)))
    .join('');
  return escaped.replace(LEADING_MARK, (mark) => (/^\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

function escapePiece(piece: string): string {
  return piece.replace(/[\\`<[]|(?<![A-Za-z0-9])@/g, '\\$&');
}

export function unescapeFact(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
