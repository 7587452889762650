import { type ChangedRange, compareSequences } from '@toolwright/machine/base/diff.js';
import { endsLinesWithCr, type View } from './view.js';

/** A place in a file that the old text stands for. */
export interface FoundPlace {
  file: string;
  start: number;
  end: number;
  oldText: string;
  /** The views in which the old text was found; without them the file has exactly that text. */
  reading?: {
    fileView: View;
    /** Start of the match in the view. */
    at: number;
    oldView: View;
    tabWidth: number;
  };
}

interface Token {
  kind: 'newline' | 'indent' | 'other';
  text: string;
  start: number;
}

/** A token of the old text with the raw text of the file that it stands for. */
interface FilePiece extends Token {
  found: string;
  /** The reading does not show it: blanks before a line end, characters without width. */
  dropped: boolean;
}

/**
 * The new text as it must be written at the place: what repeats the old text keeps the file's own characters, what
 * is new is written as it was sent, but for the line endings and the indentation of its surroundings.
 */
export async function carryOver(place: FoundPlace, newText: string): Promise<string> {
  if (sameButLineEndings(place.oldText, newText)) return newText;
  if (!place.reading && !newText.includes('\n')) return newText;
  const carried = await merge(place, newText);
  if (carried !== place.file.slice(place.start, place.end)) return carried;
  // The wish is only about things that the reading overlooks, so the new text is meant as it stands.
  return newText.replace(/\r?\n/g, lineEndingNear(place));
}

async function merge(place: FoundPlace, newText: string): Promise<string> {
  const startsLine = place.start === 0 || /[\r\n]/.test(place.file[place.start - 1]!);
  const newTokens = tokenise(newText, startsLine);
  const oldPieces = filePieces(place, tokenise(place.oldText, startsLine));
  const kept = await keptPieces(oldPieces, newTokens);
  const indents = new Indents(oldPieces, place);
  let ending = lineEndingNear(place, oldPieces);
  let result = '';
  for (const [index, token] of newTokens.entries()) {
    const piece = kept.get(index);
    if (token.kind === 'newline') {
      ending = lineEndOf(piece ?? '') || ending;
      result += piece ?? ending;
    } else if (piece !== undefined) result += piece;
    else result += token.kind === 'indent' ? indents.convert(token.text) : token.text;
  }
  return result;
}

function tokenise(text: string, startsLine: boolean): Token[] {
  const tokens: Token[] = [];
  let lineStart = startsLine;
  for (const match of text.matchAll(/\r?\n|[\p{L}\p{N}_]+|[^\S\r\n]+|(.)\1*/gsu)) {
    const blank = /^[ \t]+$/.test(match[0]);
    const kind = /\n$/.test(match[0]) ? 'newline' : blank && lineStart ? 'indent' : 'other';
    tokens.push({ kind, text: match[0], start: match.index });
    lineStart = kind === 'newline';
  }
  return tokens;
}

/**
 * Characters of the file that the view drops go to the token that was dropped from the old text at the same place,
 * else to the token after it.
 */
function filePieces({ file, start, end, reading }: FoundPlace, tokens: Token[]): FilePiece[] {
  if (!reading) return tokens.map((token) => ({ ...token, found: token.text, dropped: false }));
  const { fileView, at, oldView } = reading;
  let seen = 0;
  let from = start;
  return tokens.map((token, index) => {
    const next = tokens[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const before = seen;
    while (seen < oldView.starts.length && oldView.starts[seen]! < next) seen++;
    const dropped = seen === before;
    const reached = dropped ? fileView.starts[at + seen] : fileView.ends[at + seen - 1];
    const to = index === tokens.length - 1 ? end : Math.max(from, Math.min(reached ?? end, end));
    const found = file.slice(from, to);
    from = to;
    return { ...token, found, dropped };
  });
}

/** For each new token that repeats an old one, the file's text for it. */
async function keptPieces(old: FilePiece[], tokens: Token[]): Promise<Map<number, string>> {
  const key = (token: Token) => (token.kind === 'newline' ? '\n' : token.text);
  const origins = await originsOf(old.map(key), tokens.map(key));
  /** True when the token beside it is repeated, too. Beyond the ends of both texts the file goes on as it is. */
  const repeatsBeside = (index: number, step: 1 | -1): boolean => {
    const [here, there] = [index + step, origins.get(index)! + step];
    return tokens[here] ? origins.get(here) === there : old[there] === undefined;
  };
  const kept = new Map<number, string>();
  const whole = wholeLines(old, tokens, origins);
  for (const [index, origin] of origins) {
    const { dropped, found, kind, text } = old[origin]!;
    const sides = [repeatsBeside(index, -1), repeatsBeside(index, 1)];
    if (whole.has(index) || (kind === 'indent' && !dropped) || found === text) kept.set(index, found);
    // Blanks before the end of a line stay only where the line does.
    else if (kind === 'newline') kept.set(index, lineEndOf(found));
    else if (dropped) continue;
    // Quotes stand around what changes, so one side tells that it is the same quote.
    else if (quote.test(text) ? sides.includes(true) : !sides.includes(false)) kept.set(index, found);
  }
  return kept;
}

/** The new tokens that belong to lines which repeat an old one from beginning to end. */
function wholeLines(old: FilePiece[], tokens: Token[], origins: Map<number, number>): Set<number> {
  const whole = new Set<number>();
  for (let from = 0, to = 0; from < tokens.length; from = to) {
    while (to < tokens.length && tokens[to]!.kind !== 'newline') to++;
    const hasEnd = to < tokens.length;
    if (hasEnd) to++;
    const origin = origins.get(from) ?? -1;
    const startsLine = origin === 0 || old[origin - 1]?.kind === 'newline';
    const endsLine = hasEnd || origin + to - from === old.length;
    const indexes = Array.from({ length: to - from }, (_, at) => from + at);
    if (!startsLine || !endsLine || indexes.some((index) => origins.get(index) !== origin + index - from))
      continue;
    for (const index of indexes) whole.add(index);
  }
  return whole;
}

/** Without the blanks before it; nothing at the end of a file that does not end its last line. */
function lineEndOf(found: string): string {
  return /\r?\n$|\r$/.exec(found)?.[0] ?? '';
}

const quote = /^['"\u2018-\u201F\u2032\u2033\u02BC\uFF02\uFF07]/;

/** Maps the model's indentation to that of the file. */
class Indents {
  readonly #known = new Map<string, string>();
  readonly #tabs: boolean;
  readonly #tabWidth: number;
  #inFile: Map<number, string> | undefined;

  constructor(
    pieces: FilePiece[],
    private readonly place: FoundPlace,
  ) {
    this.#tabWidth = place.reading?.tabWidth ?? 0;
    for (const { kind, text, found, dropped } of pieces) {
      if (kind === 'indent' && !dropped) this.#known.set(text, found);
    }
    this.#tabs = [...this.#known.values()].some((indent) => indent.includes('\t'));
  }

  convert(indent: string): string {
    const tabWidth = this.#tabWidth;
    if (tabWidth === 0) return indent;
    const known = this.#known.get(indent);
    if (known !== undefined) return known;
    const width = columns(indent, tabWidth);
    this.#inFile ??= indentsNear(this.place, tabWidth);
    const usual = this.#inFile.get(width);
    if (usual !== undefined) return usual;
    if (!this.#tabs) return ' '.repeat(width);
    return '\t'.repeat(Math.floor(width / tabWidth)) + ' '.repeat(width % tabWidth);
  }
}

/** For each width, how the line nearest to the place that is indented so far writes it. */
function indentsNear({ file, start }: FoundPlace, tabWidth: number): Map<number, string> {
  const nearest = new Map<number, { indent: string; distance: number }>();
  for (const { 0: indent, index } of file.matchAll(/(?<=^|[\r\n])[ \t]+(?=[^ \t\r\n])/g)) {
    const width = columns(indent, tabWidth);
    const distance = Math.abs(index - start);
    if (distance < (nearest.get(width)?.distance ?? Number.POSITIVE_INFINITY))
      nearest.set(width, { indent, distance });
  }
  return new Map([...nearest].map(([width, { indent }]) => [width, indent]));
}

function columns(indent: string, tabWidth: number): number {
  let column = 0;
  for (const character of indent) column += character === '\t' ? tabWidth - (column % tabWidth) : 1;
  return column;
}

/** The line ending a new line takes at the place: of the lines it stands among, else of the file. */
function lineEndingNear({ file, start, end }: FoundPlace, pieces: FilePiece[] = []): string {
  if (endsLinesWithCr(file)) return '\r';
  const within = pieces.find(({ found }) => found.endsWith('\n'))?.found;
  if (within) return within.endsWith('\r\n') ? '\r\n' : '\n';
  const after = file.indexOf('\n', end);
  const newline = after === -1 ? file.lastIndexOf('\n', start) : after;
  return newline > 0 && file[newline - 1] === '\r' ? '\r\n' : '\n';
}

function sameButLineEndings(oldText: string, newText: string): boolean {
  if (!oldText.includes('\r') && !newText.includes('\r')) return false;
  return oldText !== newText && oldText.replaceAll('\r\n', '\n') === newText.replaceAll('\r\n', '\n');
}

/**
 * For each new token that repeats an old one, where that one is. Whole lines are compared first, so that a line which
 * stays is never taken apart for the sake of a new one beside it, then the tokens between them.
 */
async function originsOf(old: readonly string[], young: readonly string[]): Promise<Map<number, number>> {
  const [lines, newLines] = [linesOf(old), linesOf(young)];
  const origins = new Map<number, number>();
  for (const section of await sectionsOf(lines.texts, newLines.texts)) {
    const [start, end] = [lines.starts[section.start]!, lines.starts[section.end]!];
    const [newStart, newEnd] = [newLines.starts[section.newStart]!, newLines.starts[section.newEnd]!];
    const inner = section.same
      ? [{ start: 0, end: end - start, newStart: 0, same: true }]
      : await sectionsOf(old.slice(start, end), young.slice(newStart, newEnd));
    for (const part of inner.filter(({ same }) => same)) {
      for (let at = part.start; at < part.end; at++) {
        origins.set(newStart + part.newStart + at - part.start, start + at);
      }
    }
  }
  return origins;
}

/** The tokens put together to lines, and where each line begins; behind the last one, where they end. */
function linesOf(tokens: readonly string[]): { texts: string[]; starts: number[] } {
  const ends = tokens.flatMap((token, index) => (token === '\n' ? [index + 1] : []));
  const starts = [0, ...ends.filter((end) => end < tokens.length), tokens.length];
  const texts = starts.slice(0, -1).map((start, index) => tokens.slice(start, starts[index + 1]).join(''));
  return { texts, starts };
}

type LineSection = ChangedRange & { same: boolean };

/** Both sequences from beginning to end: what is the same and what is not, in turn. */
async function sectionsOf(old: readonly string[], young: readonly string[]): Promise<LineSection[]> {
  const sections: LineSection[] = [];
  let [at, newAt] = [0, 0];
  const reach = (start: number, newStart: number) =>
    sections.push({ same: true, start: at, end: start, newStart: newAt, newEnd: newStart });
  for (const change of await compareSequences(old, young)) {
    reach(change.start, change.newStart);
    sections.push({ same: false, ...change });
    [at, newAt] = [change.end, change.newEnd];
  }
  reach(old.length, young.length);
  return sections;
}
