import { compareSequences } from '../diff.js';
import { endsLinesWithCr, type View } from './view.js';

/** A place in a file that the old text stands for. */
export interface Place {
  file: string;
  start: number;
  end: number;
  oldText: string;
  /** How the old text was found; without it the file has exactly that text. */
  reading?: {
    fileView: View;
    /** Where the match begins in the view. */
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

/**
 * The new text as it must be written at the place: what old and new text have in common keeps the file's own
 * characters, what is new takes the line endings and the indentation of its surroundings.
 */
export async function carryOver(place: Place, newText: string): Promise<string> {
  if (sameButLineEndings(place.oldText, newText)) return newText;
  if (!place.reading && !newText.includes('\n')) return newText;
  const carried = await merge(place, newText);
  if (carried !== place.file.slice(place.start, place.end)) return carried;
  // All that was asked for is what the reading overlooks, so the new text is meant as it stands.
  return newText.replace(/\r?\n/g, lineEndingNear(place));
}

async function merge(place: Place, newText: string): Promise<string> {
  const startsLine = place.start === 0 || /[\r\n]/.test(place.file[place.start - 1]!);
  const oldTokens = tokenise(place.oldText, startsLine);
  const newTokens = tokenise(newText, startsLine);
  const pieces = filePieces(place, oldTokens);
  const kept = await keptTokens(oldTokens, newTokens);
  const indents = new Indents(oldTokens, pieces, place.reading?.tabWidth ?? 0);
  let ending = lineEndingNear(place, pieces);
  let result = '';
  for (const [index, token] of newTokens.entries()) {
    const source = kept.get(index);
    const piece = source === undefined ? undefined : pieces[source]!;
    if (token.kind === 'newline') {
      ending = /\r?\n$|\r$/.exec(piece ?? '')?.[0] ?? ending;
      result += piece ?? ending;
    } else if (piece !== undefined) result += piece;
    else result += token.kind === 'indent' ? indents.convert(token.text) : token.text;
  }
  return result;
}

function tokenise(text: string, startsLine: boolean): Token[] {
  const tokens: Token[] = [];
  let lineStart = startsLine;
  for (const match of text.matchAll(/\r?\n|[\p{L}\p{N}_]+|[^\S\r\n]+|./gsu)) {
    const blank = /^[ \t]+$/.test(match[0]);
    const kind = /\n$/.test(match[0]) ? 'newline' : blank && lineStart ? 'indent' : 'other';
    tokens.push({ kind, text: match[0], start: match.index });
    lineStart = kind === 'newline';
  }
  return tokens;
}

/** For each old token the raw text of the file that it stands for; what the view drops goes with the token after it. */
function filePieces({ file, start, end, reading }: Place, tokens: Token[]): string[] {
  if (!reading) return tokens.map((token) => token.text);
  const { fileView, at, oldView } = reading;
  let seen = 0;
  let from = start;
  return tokens.map((_token, index) => {
    const next = tokens[index + 1];
    while (next && seen < oldView.starts.length && oldView.starts[seen]! < next.start) seen++;
    const reached = seen === 0 ? start : fileView.ends[at + seen - 1]!;
    const to = next ? Math.max(from, Math.min(reached, end)) : end;
    const piece = file.slice(from, to);
    from = to;
    return piece;
  });
}

/** Index of the new token to the index of the old one that it repeats. */
async function keptTokens(oldTokens: Token[], newTokens: Token[]): Promise<Map<number, number>> {
  const key = (token: Token) => (token.kind === 'newline' ? '\n' : token.text);
  const changes = await compareSequences(oldTokens.map(key), newTokens.map(key));
  const kept = new Map<number, number>();
  let [at, newAt] = [0, 0];
  for (const change of [
    ...changes,
    { start: oldTokens.length, newStart: newTokens.length, end: 0, newEnd: 0 },
  ]) {
    for (; at < change.start; at++, newAt++) kept.set(newAt, at);
    at = change.end;
    newAt = change.newEnd;
  }
  return kept;
}

/** How the model's indentation is written in the file. */
class Indents {
  readonly #known = new Map<string, string>();
  readonly #tabs: boolean;

  constructor(
    oldTokens: Token[],
    pieces: string[],
    private readonly tabWidth: number,
  ) {
    for (const [index, token] of oldTokens.entries()) {
      if (token.kind === 'indent') this.#known.set(token.text, pieces[index]!);
    }
    this.#tabs = [...this.#known.values()].some((indent) => indent.includes('\t'));
  }

  convert(indent: string): string {
    if (this.tabWidth === 0) return indent;
    const known = this.#known.get(indent);
    if (known !== undefined) return known;
    const width = columns(indent, this.tabWidth);
    if (!this.#tabs) return ' '.repeat(width);
    return '\t'.repeat(Math.floor(width / this.tabWidth)) + ' '.repeat(width % this.tabWidth);
  }
}

function columns(indent: string, tabWidth: number): number {
  let column = 0;
  for (const character of indent) column += character === '\t' ? tabWidth - (column % tabWidth) : 1;
  return column;
}

/** The line ending a new line takes at the place: of the lines it stands among, else of the file. */
function lineEndingNear({ file, start, end }: Place, pieces: string[] = []): string {
  if (endsLinesWithCr(file)) return '\r';
  const within = pieces.find((piece) => piece.endsWith('\n'));
  if (within) return within.endsWith('\r\n') ? '\r\n' : '\n';
  const after = file.indexOf('\n', end);
  const newline = after === -1 ? file.lastIndexOf('\n', start) : after;
  return newline > 0 && file[newline - 1] === '\r' ? '\r\n' : '\n';
}

function sameButLineEndings(oldText: string, newText: string): boolean {
  return oldText !== newText && oldText.replaceAll('\r\n', '\n') === newText.replaceAll('\r\n', '\n');
}
