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
    yield { row: { value: placeNamed(name), placeOf: () => ({ line, column }) } };
  }
}

/** An address, with a ref behind a space; anything else is a folder, which may have spaces in its name. */
function placeNamed(name: string): Record<string, unknown> {
  const [address, ...ref] = name.split(/\s+/);
  const isAddress = isRemote(address!) || address!.includes('://');
  return isAddress ? { repo: address, ref: ref.join(' ') } : { folder: name };
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
    const why = messageOf(error).replace(
      /(, (\.\.\.)?".*)? (in JSON at position \d+|is not valid JSON)$/s,
      '',
    );
    return { fault: { line, column: positionOf(error, content) + 1, message: `it is not JSON: ${why}` } };
  }
}

/** Node names the position of some faults only; that of others is where the shortest beginning with the fault ends. */
function positionOf(error: unknown, content: string): number {
  const named = positionIn(error);
  if (named !== null) return named;
  let [whole, faulty] = [0, content.length];
  while (faulty - whole > 1) {
    const middle = Math.floor((whole + faulty) / 2);
    if (isBeginning(content.slice(0, middle))) whole = middle;
    else faulty = middle;
  }
  return whole;
}

function positionIn(error: unknown): number | null {
  const [, position] = /position (\d+)/.exec(messageOf(error)) ?? [];
  return position === undefined ? null : Number(position);
}

/** True if a text could go on as JSON. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return /end of JSON input/.test(messageOf(error)) || (positionIn(error) ?? -1) >= text.length;
  }
}

function columnOf(content: string, field: string | null): number {
  if (field === null) return 1;
  return Math.max(0, content.indexOf(`"${field.split('.').at(-1)}"`)) + 1;
}
