import { lineNumbersAt } from '../diff.js';
import { mergeTexts } from '../merge.js';
import { findOnly, findText, replaceText } from '../replace.js';
import { applyEdits } from '../text-codec.js';
import { type NearMiss, nearestTo, withLineFeeds } from './nearest.js';

/** Why an old text is not in a file. */
export type Diagnosis =
  /** The file already reads as wanted at the place that was meant. `line` is missing where nothing is left to be seen. */
  | { kind: 'applied'; line?: number }
  /** The old text was in the version seen before, at this line, and is no longer in the file. */
  | { kind: 'stale'; line: number }
  /** `standsAt`: the new text is in the file, but nothing proves that this is the place that was meant. */
  | { kind: 'near'; miss: NearMiss; standsAt?: number }
  | { kind: 'absent'; standsAt?: number };

export interface DiagnosisInput {
  text: string;
  oldText: string;
  newText: string;
  /** An earlier version that the old text may have been taken from. */
  seenText?: string | null;
  /** This very edit of this file was carried out before. */
  madeBefore?: boolean;
}

/** For an old text that no reading found. */
export async function diagnose(input: DiagnosisInput): Promise<Diagnosis> {
  const { text, oldText, newText } = input;
  const applied = repeated(input) ?? between(input) ?? (await sinceSeen(input));
  if (applied) return applied;
  const seenText = input.seenText ?? text;
  const seen = seenText === text ? [] : findText(seenText, oldText);
  if (seen.length > 0) return { kind: 'stale', line: seen[0]! };
  const miss = nearestTo(text, oldText);
  const written = isTelling(oldText, newText) ? findText(text, newText) : [];
  const hint = written.length === 1 ? { standsAt: written[0]! } : {};
  return miss ? { kind: 'near', miss, ...hint } : { kind: 'absent', ...hint };
}

type Applied = Extract<Diagnosis, { kind: 'applied' }>;

/** An edit that was made before and whose new text still stands. */
function repeated({ text, newText, madeBefore }: DiagnosisInput): Applied | null {
  if (!madeBefore) return null;
  if (newText === '') return { kind: 'applied' };
  const [line] = findText(text, newText);
  return line === undefined ? null : { kind: 'applied', line };
}

/**
 * What old and new text have in common at their beginning and at their end stands in the file once each, with the
 * new text between: then this is the place, and whatever the old text had there is gone.
 */
function between({ text, oldText, newText }: DiagnosisInput): Applied | null {
  // A reading overlooks blanks and quotes, and those may be the very edit, so the new text must stand there character by character.
  const lineFeeds = (piece: string) => (piece.includes('\r') ? piece.replace(/\r\n?/g, '\n') : piece);
  if (!lineFeeds(text).includes(lineFeeds(newText))) return null;
  const { head, tail } = sharedEnds(oldText, newText);
  const first = findOnly(text, head);
  const last = first && findOnly(text, tail);
  const whole = last && findOnly(text, newText);
  if (!whole || first.start !== whole.start || last.end !== whole.end) return null;
  if (lineFeeds(text.slice(whole.start, whole.end)) !== lineFeeds(newText)) return null;
  return { kind: 'applied', line: lineNumbersAt(text, [whole.start])[0]! };
}

function sharedEnds(one: string, other: string): { head: string; tail: string } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return { head: one.slice(0, head), tail: one.slice(one.length - tail) };
}

/** The file was seen with the old text, and someone has made the same change in it since. */
async function sinceSeen({ text, oldText, newText, seenText }: DiagnosisInput): Promise<Applied | null> {
  if (typeof seenText !== 'string' || seenText === text) return null;
  const outcome = await replaceText({ text: seenText, oldText, newText });
  if (outcome.kind !== 'replaced') return null;
  const ours = applyEdits(seenText, outcome.edits);
  const merged = await mergeTexts({ base: seenText, ours, theirs: text });
  if (merged.kind !== 'merged' || merged.edits.length > 0) return null;
  const [line] = newText === '' ? [] : findText(text, newText);
  return line === undefined ? { kind: 'applied' } : { kind: 'applied', line };
}

/** True when finding the new text says anything: a lone bracket is in every file, a part of the old text near it. */
function isTelling(oldText: string, newText: string): boolean {
  return !oldText.includes(newText) && (newText.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 3;
}

const SHOWN_LINE = 160;
const SHOWN_LINES = 12;

/** Describes the nearest place to the model: the difference to the character, then the file's own text. */
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
  const lines = withLineFeeds(text)
    .split('\n')
    .slice(firstLine - 1, lastLine);
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
