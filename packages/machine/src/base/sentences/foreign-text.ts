import { terminalSafeLine } from '../terminal-safe.js';

/**
 * Puts foreign text (paths, commands, names, URLs, arguments) into sentences for the user or the model: on one line,
 * with nothing invisible or reordered in it, and not so long that it hides the rest.
 */

/** Characters no plain name has: controls, line ends, zero-width marks, selectors that change how a character looks. */
const ODD =
  /[\0-\x1f\x7f-\x9f\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\p{Co}]|[\ufe00-\ufe0f]|\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

const LONGEST = 300;

/** True for names that could make a sentence read as another one. */
export function isOdd(text: string): boolean {
  // Most names are plain ASCII; the Unicode classes take milliseconds to compile.
  return !/^[ -~]*$/.test(text) && ODD.test(text);
}

/** A name as it is or, if it is odd, quoted and escaped as in JSON. */
export function foreignName(text: string): string {
  if (!isOdd(text)) return text;
  return [...JSON.stringify(text)].map((each) => (ODD.test(each) ? escaped(each) : each)).join('');
}

/** The same, shortened to its beginning and end if it is too long to read. */
export function foreignText(text: string, longest = LONGEST): string {
  return foreignName(shortened(text, longest));
}

/** A whole sentence that contains foreign text: on one line, with hidden characters made visible. */
export function foreignSentence(text: string, longest = 2 * LONGEST): string {
  return terminalSafeLine(shortened(text, longest));
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor((longest - 1) / 2);
  return `${whole(text.slice(0, half))}…${whole(text.slice(-half))}`;
}

/** Drops half of a surrogate pair at an end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** A clause of ours with a capital and a full stop. */
export function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
