import { type InputLine, moved, movedByLine } from '../input-line.js';

/** The target of a motion, and whether an operator takes the character there too. */
export interface Reached {
  cursor: number;
  isInclusive: boolean;
}

/** A motion of vim in a line; null where it leads nowhere. */
export function reachedBy(motion: string, input: InputLine, found: string): Reached | null {
  const { text, cursor } = input;
  const to = (at: number, isInclusive = false): Reached => ({ cursor: at, isInclusive });
  switch (motion[0]) {
    case 'h':
      return to(Math.max(moved(input, 'line-start').cursor, moved(input, 'left').cursor));
    case 'l':
    case ' ':
      return to(Math.min(moved(input, 'line-end').cursor, moved(input, 'right').cursor));
    case 'j':
    case 'k': {
      const line = movedByLine(input, motion === 'j' ? 1 : -1);
      return line && to(line.cursor);
    }
    case 'w':
      return to(nextWord(text, cursor));
    case 'b':
      return to(/(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+)\s*$/u.exec(text.slice(0, cursor))?.index ?? 0);
    case 'e': {
      const length = /^.?\s*(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+)/su.exec(text.slice(cursor))?.[0].length ?? 1;
      return to(Math.min(text.length, cursor + length) - 1, true);
    }
    case '0':
      return to(moved(input, 'line-start').cursor);
    case '^': {
      const start = moved(input, 'line-start').cursor;
      return to(start + (/^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0));
    }
    case '$':
      return to(moved(input, 'line-end').cursor);
    case 'g':
      return to(0);
    case 'G':
      return to(text.length);
    case ';':
    case ',':
      return found === '' ? null : byCharacter(motion === ';' ? found : reversed(found), input);
    default:
      return byCharacter(motion, input);
  }
}

function nextWord(text: string, cursor: number): number {
  const word = /^(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+|)\s*/u.exec(text.slice(cursor));
  return cursor + (word?.[0].length ?? 0);
}

function reversed(found: string): string {
  const [kind = '', character = ''] = [found[0], found.slice(1)];
  return (kind === kind.toLowerCase() ? kind.toUpperCase() : kind.toLowerCase()) + character;
}

/** `fx`, `tx` and backwards `Fx`, `Tx`, within the line. */
function byCharacter(motion: string, input: InputLine): Reached | null {
  const [kind = '', character = ''] = [motion[0], motion.slice(1)];
  const { text, cursor } = input;
  if (kind === 'f' || kind === 't') {
    const end = moved(input, 'line-end').cursor;
    const at = text.slice(0, end).indexOf(character, cursor + (kind === 't' ? 2 : 1));
    return at < 0 ? null : { cursor: kind === 'f' ? at : at - 1, isInclusive: true };
  }
  const start = moved(input, 'line-start').cursor;
  const at = text.slice(start, kind === 'T' ? Math.max(start, cursor - 1) : cursor).lastIndexOf(character);
  return at < 0 ? null : { cursor: start + at + (kind === 'T' ? 1 : 0), isInclusive: false };
}

/** `iw` and `aw`: the word under the cursor, the second with the blanks behind it. */
export function wordAround({ text, cursor }: InputLine, withBlanks: boolean): { from: number; to: number } {
  const kind = /[\p{L}\p{N}_]/u.test(text[cursor] ?? '')
    ? /[\p{L}\p{N}_]/u
    : /\s/.test(text[cursor] ?? ' ')
      ? /\s/
      : /[^\s\p{L}\p{N}_]/u;
  let [from, to] = [cursor, cursor];
  while (from > 0 && kind.test(text[from - 1] ?? '')) from -= 1;
  while (to < text.length && kind.test(text[to] ?? '')) to += 1;
  if (withBlanks) while (/[ \t]/.test(text[to] ?? '')) to += 1;
  return { from, to };
}
