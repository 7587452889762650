import { findText } from '../replace.js';
import { type NearMiss, nearestTo } from './nearest.js';

/** Why an old text is not in a file. */
export type Diagnosis =
  /** The file already reads as wanted, at this line. */
  | { kind: 'applied'; line: number }
  /** It is in the version that was seen before, at this line, and no longer in the file. */
  | { kind: 'stale'; line: number }
  | { kind: 'near'; miss: NearMiss }
  | { kind: 'absent' };

export interface DiagnosisInput {
  text: string;
  oldText: string;
  newText: string;
  /** An earlier version that the old text may have been taken from. */
  seenText?: string | null;
}

/** For an old text that no reading found. */
export function diagnose({ text, oldText, newText, seenText }: DiagnosisInput): Diagnosis {
  const written = isTelling(oldText, newText) ? findText(text, newText) : [];
  if (written.length === 1) return { kind: 'applied', line: written[0]! };
  const seen = typeof seenText === 'string' && seenText !== text ? findText(seenText, oldText) : [];
  if (seen.length > 0) return { kind: 'stale', line: seen[0]! };
  const miss = nearestTo(text, oldText);
  return miss ? { kind: 'near', miss } : { kind: 'absent' };
}

/** Whether finding the new text says anything: a lone bracket is in every file. */
function isTelling(oldText: string, newText: string): boolean {
  const letters = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (oldText.includes(newText)) return letters(newText) >= 10;
  return letters(newText) >= 3;
}

const SHOWN_LINE = 160;
const SHOWN_LINES = 12;

/** What the model is told of the nearest place: the difference to the character, then the file's own text. */
export function describeNearMiss(miss: NearMiss, text: string): string {
  const { firstLine, lastLine, line, column } = miss;
  const difference =
    miss.found === null
      ? `Line ${line} is past the end of the file; expected: ${quoted(miss.expected, 1)}`
      : [
          `The first difference is at line ${line}, column ${column}: expected ${nameOf(miss.expectedCharacter)}, found ${nameOf(miss.foundCharacter)}.`,
          `expected: ${quoted(miss.expected, column)}`,
          `found:    ${quoted(miss.found, column)}`,
        ].join('\n');
  const lines = text.split('\n').slice(firstLine - 1, lastLine);
  const shown = lines
    .slice(0, SHOWN_LINES)
    .map((content) => content.replace(/\r$/, '').slice(0, SHOWN_LINE * 2));
  const more = lines.length > SHOWN_LINES ? `\n… ${lines.length - SHOWN_LINES} more lines` : '';
  const where = firstLine === lastLine ? `Line ${firstLine}` : `Lines ${firstLine}-${lastLine}`;
  return `${difference}\n${where} of the file:\n${shown.join('\n')}${more}`;
}

/** The line with what can't be seen spelled out, cut to the neighbourhood of the column. */
function quoted(line: string, column: number): string {
  const start = column > SHOWN_LINE - 20 ? column - SHOWN_LINE / 2 : 0;
  const piece = line.slice(start, start + SHOWN_LINE);
  const visible = piece.replace(
    /[\t\r\\"]|[^\S ]|[\u200B-\u200F\u2028-\u202E\u2060\uFEFF\u00AD]/g,
    (character) => {
      if (character === '\t') return '\\t';
      if (character === '\r') return '\\r';
      if (character === '\\' || character === '"') return `\\${character}`;
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
  return `${start > 0 ? '…' : ''}"${visible}"${start + SHOWN_LINE < line.length ? '…' : ''}`;
}

const names: Record<string, string> = {
  '': 'the end of the line',
  ' ': 'a space',
  '\t': 'a tab',
  '\r': 'a carriage return',
  '\u00A0': 'a no-break space (U+00A0)',
};

function nameOf(character: string): string {
  const known = names[character];
  if (known !== undefined) return known;
  const point = character.codePointAt(0)!;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  return point > 32 && point < 127 ? `"${character}"` : `"${character}" (${code})`;
}
