import { lineNumbersAt, splitLines } from '../diff.js';
import { endsLinesWithCr } from './view.js';

/** The place where a missing text was probably meant to be. For messages only: nothing is ever changed by it. */
export interface NearMiss {
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
export function withLineFeeds(text: string): string {
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
