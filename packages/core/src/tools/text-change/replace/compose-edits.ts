import type { TextEdit, TextRange } from '@toolwright/machine/base/text-codec.js';

/** A part of the original text, or new text in between. */
type TextPiece = TextRange | string;

/** Composes a list of edits of the original text that does what `first` and then, on the text it gives, `second` do. */
export function composeEdits(
  length: number,
  first: readonly TextEdit[],
  second: readonly TextEdit[],
): TextEdit[] {
  let pieces: TextPiece[] = piecesAfter([{ start: 0, end: length }], first);
  pieces = piecesAfter(pieces, second);
  return editsOf(pieces, length);
}

function piecesAfter(pieces: readonly TextPiece[], edits: readonly TextEdit[]): TextPiece[] {
  const result: TextPiece[] = [];
  const total = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  let done = 0;
  for (const { start, end, text } of edits) {
    result.push(...cut(pieces, done, start), text);
    done = end;
  }
  return [...result, ...cut(pieces, done, total)].filter((piece) => lengthOf(piece) > 0);
}

/** The pieces between two offsets of the text that they make up. */
function cut(pieces: readonly TextPiece[], from: number, to: number): TextPiece[] {
  const result: TextPiece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const start = Math.max(from - at, 0);
    const end = Math.min(to - at, lengthOf(piece));
    if (start < end) result.push(part(piece, start, end));
    at += lengthOf(piece);
  }
  return result;
}

function part(piece: TextPiece, start: number, end: number): TextPiece {
  return typeof piece === 'string'
    ? piece.slice(start, end)
    : { start: piece.start + start, end: piece.start + end };
}

function lengthOf(piece: TextPiece): number {
  return typeof piece === 'string' ? piece.length : piece.end - piece.start;
}

function editsOf(pieces: readonly TextPiece[], length: number): TextEdit[] {
  const edits: TextEdit[] = [];
  let at = 0;
  let text = '';
  for (const piece of [...pieces, { start: length, end: length }]) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    if (piece.start > at || text !== '') edits.push({ start: at, end: piece.start, text });
    text = '';
    at = piece.end;
  }
  return edits;
}
