import { compareSequences, splitLines } from '@toolwright/machine/base/diff.js';
import type { DecodedText, TextEdit } from '@toolwright/machine/base/text-codec.js';
import { endsLinesWithCr } from './view.js';

/**
 * The edits that turn a text into new content without touching its style: lines that stay keep their own
 * endings, new lines take those of the line above them, or below. The end of the last line is as given.
 */
export async function rewriteText(
  { text, exact }: Pick<DecodedText, 'text' | 'exact'>,
  content: string,
): Promise<TextEdit[]> {
  const before = linesOf(text, endsLinesWithCr(text));
  const endings = new Set(before.map((line) => line.ending).filter((ending) => ending !== ''));
  if (endings.size === 0 || (exact && endings.size === 1)) return replaceAll(text, content, [...endings][0]);
  const after = linesOf(content, false);
  const changes = await compareSequences(before.map(keyOf), after.map(keyOf), { mostEdits: 5_000 });
  return changes.map(({ start, end, newStart, newEnd }) => {
    let ending = before[start - 1]?.ending ?? before[start]?.ending ?? '\n';
    const lines = after.slice(newStart, newEnd).map((line, index) => {
      // A line in the place of another keeps the ending of that place.
      ending = (start + index < end && before[start + index]?.ending) || ending || '\n';
      return line.ending === '' ? line.body : line.body + ending;
    });
    const from = before[start]?.start ?? text.length;
    return { start: from, end: before[end]?.start ?? text.length, text: lines.join('') };
  });
}

/** Rewrites a text whose lines all end alike, with nothing odd to spare: no line has to be found again. */
function replaceAll(text: string, content: string, ending: string | undefined): TextEdit[] {
  const styled = ending === undefined ? content : content.replace(/\r?\n/g, ending);
  return styled === text ? [] : [{ start: 0, end: text.length, text: styled }];
}

interface LineWithEnding {
  start: number;
  body: string;
  ending: string;
}

function keyOf({ body, ending }: LineWithEnding): string {
  return ending === '' ? body : `${body}\n`;
}

function linesOf(text: string, crEndsLines: boolean): LineWithEnding[] {
  const end = crEndsLines ? '\r' : '\n';
  let start = 0;
  return (crEndsLines ? text.split(/(?<=\r)/) : splitLines(text)).map((line) => {
    const ending = line.endsWith('\r\n') ? '\r\n' : line.endsWith(end) ? end : '';
    const found = { start, body: line.slice(0, line.length - ending.length), ending };
    start += line.length;
    return found;
  });
}
