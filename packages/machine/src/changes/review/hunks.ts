import { type ChangedRange, compareSequences, lineSpan, splitLines } from '../../base/diff.js';

/** A part of a change to a text file that can be kept on its own. */
export interface ReviewHunk {
  /** The changed lines with their context, as in a unified diff. */
  unified: string;
  /** Lines of the earlier text that change, and the lines that stand in their place. */
  range: ChangedRange;
}

/**
 * The parts of a change between two contents; null where only the whole can be kept: in files that are not text, or in which
 * a line end is more than one byte.
 */
export async function hunksBetween(before: Uint8Array, after: Uint8Array): Promise<ReviewHunk[] | null> {
  if (!hasPlainLines(before) || !hasPlainLines(after)) return null;
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const ranges = await compareSequences(oldLines, newLines);
  return ranges.map((range) => ({ range, unified: describe(range, oldLines, newLines) }));
}

/** The earlier content with some of the parts. */
export function withHunks(
  before: Uint8Array,
  after: Uint8Array,
  hunks: readonly Pick<ReviewHunk, 'range'>[],
): Uint8Array {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const kept: string[] = [];
  let at = 0;
  for (const { range } of hunks) {
    kept.push(...oldLines.slice(at, range.start), ...newLines.slice(range.newStart, range.newEnd));
    at = range.end;
  }
  kept.push(...oldLines.slice(at));
  return Buffer.from(kept.join(''), 'latin1');
}

/** UTF-16 and everything that is not text holds NUL bytes. */
function hasPlainLines(bytes: Uint8Array): boolean {
  return !bytes.includes(0);
}

/** Each byte becomes one character, so that every byte comes back as it was. */
function linesOf(bytes: Uint8Array): string[] {
  return splitLines(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
}

const CONTEXT_LINES = 3;

function describe(range: ChangedRange, oldLines: readonly string[], newLines: readonly string[]): string {
  const { start, end, newStart, newEnd } = range;
  const marked = (mark: string, lines: readonly string[]) => lines.map((each) => mark + readable(each));
  const above = oldLines.slice(Math.max(0, start - CONTEXT_LINES), start);
  const below = oldLines.slice(end, end + CONTEXT_LINES);
  const around = above.length + below.length;
  const before = lineSpan(start - above.length, end - start + around);
  const after = lineSpan(newStart - above.length, newEnd - newStart + around);
  return [
    `@@ -${before} +${after} @@`,
    ...marked(' ', above),
    ...marked('-', oldLines.slice(start, end)),
    ...marked('+', newLines.slice(newStart, newEnd)),
    ...marked(' ', below),
  ].join('\n');
}

/** Gives the line without its end, as UTF-8. */
function readable(line: string): string {
  return Buffer.from(line.replace(/\r?\n$/, ''), 'latin1').toString('utf8');
}
