import { lineNumbersAt, splitLines } from '@toolwright/machine/base/diff.js';
import { mergeTexts } from '@toolwright/machine/base/merge.js';
import { applyEdits } from '@toolwright/machine/base/text-codec.js';
import { findOnly, findText, replaceText } from './replace.js';
import { endsLinesWithCr } from './view.js';

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
 * Finds an edit that was made already: the common beginning and end of old and new text stand in the file once each, with the new text
 * between, and the old text there is gone.
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

/** The place where a missing text was probably meant to be. For messages only: nothing is ever changed by it. */
interface NearMiss {
  /** 1-based lines of the file. */
  firstLine: number;
  lastLine: number;
  /** The first line that differs, and the 1-based column in the file's line. */
  line: number;
  column: number;
  expected: string;
  /** Null where the wanted text goes on past the end of the file. */
  found: string | null;
  /** The characters that differ; empty where a line ends. */
  expectedCharacter: string;
  foundCharacter: string;
}

/** Wanted lines that are looked for: a few dozen tell the place as well as thousands would. */
const MOST_VOTERS = 64;
const MOST_REPEATS = 16;
const MOST_OCCURRENCES = 3_000;
const MOST_CANDIDATES = 400;
const FIRST_LINES = 2_000;
const MAX_LINE_LENGTH = 400;
const LEAST_SIMILARITY = 0.6;

export function nearestTo(raw: string, wanted: string): NearMiss | null {
  const text = withLineFeeds(raw);
  const fileLines = linesOf(text);
  const wantedLines = linesOf(wanted);
  if (wantedLines.length === 0) return null;
  const start = bestStart(text, fileLines, wantedLines) ?? similarStart(text, fileLines, wantedLines);
  return start === null ? null : firstDifference(fileLines, wantedLines, start);
}

/** A file whose lines end with lone carriage returns has these lines, too. */
function withLineFeeds(text: string): string {
  return endsLinesWithCr(text) ? text.replaceAll('\r', '\n') : text;
}

function linesOf(text: string): string[] {
  return splitLines(text).map((line) => line.replace(/\r?\n$/, ''));
}

/** A line without what people and models get wrong most: blanks, case, kinds of quotes. */
function essence(line: string): string {
  return line
    .replace(/[\s\u200B\u2060\uFEFF\u00AD]+/g, '')
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/[\u201C\u201D]/g, '"')
    .toLowerCase();
}

/** The line at which most of the wanted lines begin to match, but for blanks and the like. */
function bestStart(text: string, fileLines: string[], wantedLines: string[]): number | null {
  const places = new Map<string, number[]>();
  const words = new Set<string>();
  for (const [index, line] of wantedLines.entries()) {
    const key = essence(line);
    if (key.length < 3) continue;
    const known = places.get(key);
    if (!known && places.size === MOST_VOTERS) continue;
    places.set(key, [...(known ?? []), index].slice(0, MOST_REPEATS));
    words.add(wordsOf(line)[0] ?? '');
  }
  const votes = new Map<number, number>();
  for (const index of linesWith(text, words).keys()) {
    for (const place of places.get(essence(fileLines[index]!)) ?? []) {
      votes.set(index - place, (votes.get(index - place) ?? 0) + 1);
    }
  }
  let best: { start: number; count: number } | null = null;
  for (const [start, count] of votes) if (count > (best?.count ?? 0)) best = { start, count };
  return best && best.count >= Math.min(3, Math.ceil(places.size * 0.3)) ? best.start : null;
}

/** The line that resembles the longest wanted one. */
function similarStart(text: string, fileLines: string[], wantedLines: string[]): number | null {
  const index = wantedLines.reduce(
    (best, line, at) => (line.length > wantedLines[best]!.length ? at : best),
    0,
  );
  const line = wantedLines[index]!.slice(0, MAX_LINE_LENGTH);
  const shared = [...linesWith(text, new Set(wordsOf(line).slice(0, 8)))].sort(
    (one, other) => other[1] - one[1],
  );
  const candidates =
    shared.length > 0
      ? shared.slice(0, MOST_CANDIDATES).map(([at]) => at)
      : fileLines.slice(0, FIRST_LINES).keys();
  const wanted = pairsOf(essence(line));
  let best: { start: number; likeness: number } | null = null;
  for (const at of candidates) {
    if (fileLines[at]!.length > MAX_LINE_LENGTH) continue;
    const likeness = likenessOf(wanted, pairsOf(essence(fileLines[at]!)));
    if (likeness >= LEAST_SIMILARITY && likeness > (best?.likeness ?? 0))
      best = { start: at - index, likeness };
  }
  return best?.start ?? null;
}

/** Longest first. */
function wordsOf(line: string): string[] {
  return (line.match(/[\p{L}\p{N}_]{3,}/gu) ?? []).sort((one, other) => other.length - one.length);
}

/** 0-based lines that hold any of the words, with how many of them. */
function linesWith(text: string, words: Set<string>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const word of words) {
    const offsets: number[] = [];
    let at = word === '' ? -1 : text.indexOf(word);
    for (; at !== -1 && offsets.length < MOST_OCCURRENCES; at = text.indexOf(word, at + 1)) offsets.push(at);
    for (const line of new Set(lineNumbersAt(text, offsets)))
      counts.set(line - 1, (counts.get(line - 1) ?? 0) + 1);
  }
  return counts;
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

function likenessOf(one: Set<string>, other: Set<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let shared = 0;
  for (const pair of one) if (other.has(pair)) shared++;
  return (2 * shared) / (one.size + other.size);
}

/** A text that would have to begin before the file does is compared from the first line on. */
function firstDifference(fileLines: string[], wantedLines: string[], likely: number): NearMiss {
  const start = Math.max(0, likely);
  const last = Math.min(fileLines.length, Math.max(start + 1, likely + wantedLines.length));
  const differs = (line: string, at: number) => !holds(fileLines[start + at], line, pieceOf(at, wantedLines));
  const at = Math.max(0, wantedLines.findIndex(differs));
  const expected = wantedLines[at]!;
  const found = fileLines[start + at] ?? null;
  const skipped = at === 0 && !/^\s/.test(expected) ? (/^\s*/.exec(found ?? '')?.[0].length ?? 0) : 0;
  const same = commonLength(expected, (found ?? '').slice(skipped));
  return {
    firstLine: start + 1,
    lastLine: last,
    line: start + at + 1,
    column: skipped + same + 1,
    expected,
    found,
    expectedCharacter: characterAt(expected, same),
    foundCharacter: characterAt(found ?? '', skipped + same),
  };
}

type WantedPiece = 'inside' | 'end' | 'start' | 'whole';

/** The first and the last line of the wanted text may be pieces of lines. */
function pieceOf(index: number, lines: string[]): WantedPiece {
  if (lines.length === 1) return 'inside';
  if (index === 0) return 'end';
  return index === lines.length - 1 ? 'start' : 'whole';
}

function holds(line: string | undefined, wanted: string, piece: WantedPiece): boolean {
  if (line === undefined) return false;
  if (piece === 'inside') return line.includes(wanted);
  if (piece === 'end') return line.endsWith(wanted);
  return piece === 'start' ? line.startsWith(wanted) : line === wanted;
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  return at;
}

function characterAt(text: string, offset: number): string {
  const point = text.codePointAt(offset);
  return point === undefined ? '' : String.fromCodePoint(point);
}
