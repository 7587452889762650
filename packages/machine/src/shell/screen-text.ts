/** Longer lines are asked about: nobody would read them either, and the parser is slow on hostile ones. */
const MOST_BYTES = 8 * 1024;
/** The most brackets and backticks: the parser's time grows with the square of some of them. */
const MOST_OPENERS = 400;

/** Control characters but newline and tab, bidi, zero-width and tag characters, blanks outside ASCII, byte order mark. */
const misleading =
  /\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u;

/** The problem with the characters of a command line, checked before it is parsed, or null. */
export function doubtfulText(command: string): string | null {
  if (Buffer.byteLength(command) > MOST_BYTES) return 'the command is longer than 8 KiB';
  if (/\p{Cs}/u.test(command)) return 'the command is not well-formed Unicode';
  if (misleading.test(command.replace(/[\n\t]/g, ''))) {
    return 'the command contains control, invisible or unusual blank characters';
  }
  if ((command.match(/[({[`]/g)?.length ?? 0) > MOST_OPENERS) {
    return 'the command is nested too deeply to be read safely';
  }
  return null;
}
