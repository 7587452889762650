import { messageOf } from '@toolwright/core/front-end';
import { isRemote } from './check-row.js';
import { LONGEST_ROW, type SourceEntry, type TextPieces, tooLong } from './source-row.js';

/** Reads an object a line; empty lines are passed over. */
export async function* readJsonLines(pieces: TextPieces): AsyncGenerator<SourceEntry> {
  for await (const { line, content } of linesOf(pieces)) {
    if (content === null) yield { fault: { line, column: 1, message: tooLong } };
    else if (content.trim() !== '') yield readLine(line, content);
  }
}

/** Reads a repository or folder a line; empty lines and those that begin with # are passed over. */
export async function* readRepositoryList(pieces: TextPieces): AsyncGenerator<SourceEntry> {
  for await (const { line, content } of linesOf(pieces)) {
    const name = content?.trim() ?? '';
    if (content === null) yield { fault: { line, column: 1, message: tooLong } };
    if (content === null || name === '' || name.startsWith('#')) continue;
    const column = content.indexOf(name) + 1;
    const [place, ref] = name.split(/\s+/);
    const value = isRemote(place!) ? { repo: place, ref } : { folder: place };
    yield { row: { value, placeOf: () => ({ line, column }) } };
  }
}

interface TextLine {
  line: number;
  /** Null where the line is too long. */
  content: string | null;
}

async function* linesOf(pieces: TextPieces): AsyncGenerator<TextLine> {
  let line = 1;
  let rest = '';
  const next = (text: string): TextLine => ({
    line: line++,
    content: text.length > LONGEST_ROW ? null : text,
  });
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split('\n');
    // A line that is too long is cut here, to a length that is still refused.
    rest = lines.pop()!.slice(0, LONGEST_ROW + 1);
    for (const text of lines) yield next(text);
  }
  if (rest !== '') yield next(rest);
}

function readLine(line: number, content: string): SourceEntry {
  try {
    const value: unknown = JSON.parse(content);
    return { row: { value, placeOf: (field) => ({ line, column: columnOf(content, field) }) } };
  } catch (error) {
    const [, position] = /position (\d+)/.exec(messageOf(error)) ?? [];
    const message = `it is not JSON: ${messageOf(error)}`;
    return { fault: { line, column: Number(position ?? 0) + 1, message } };
  }
}

function columnOf(content: string, field: string | null): number {
  if (field === null) return 1;
  return Math.max(0, content.indexOf(`"${field.split('.').at(-1)}"`)) + 1;
}
