import { type ChangedRange, compareSequences, splitLines } from './diff.js';
import type { TextEdit } from './text-codec.js';

export interface MergeInput {
  base: string;
  ours: string;
  theirs: string;
}

export type MergeResult =
  /** Edits that bring our changes into their text. */
  | { kind: 'merged'; edits: TextEdit[] }
  /** Lines of their text, 1-based, that both sides changed in different ways. */
  | { kind: 'conflict'; lines: [first: number, last: number][] };

/**
 * Merges three texts by lines. Changes that touch, even at their borders, are a conflict: nobody has seen such lines
 * together. The same change on both sides is made once.
 */
export async function mergeTexts({ base, ours, theirs }: MergeInput): Promise<MergeResult> {
  const baseLines = splitLines(base);
  const ourLines = splitLines(ours);
  const theirLines = splitLines(theirs);
  const options = { mostEdits: 5_000 };
  const ourRanges = await compareSequences(baseLines, ourLines, options);
  const theirRanges = await compareSequences(baseLines, theirLines, options);
  const offsets = lineOffsets(theirLines);
  const textOf = (range: ChangedRange) => theirLines.slice(range.newStart, range.newEnd).join('');
  const edits: TextEdit[] = [];
  const lines: [number, number][] = [];
  for (const range of ourRanges) {
    const text = ourLines.slice(range.newStart, range.newEnd).join('');
    const touching = theirRanges.filter((other) => touches(range, other));
    if (touching.some((other) => !sameRange(range, other) || textOf(other) !== text)) {
      const start = Math.min(toTheirs(range.start, theirRanges), touching[0]!.newStart);
      lines.push([start + 1, Math.max(start + 1, touching.at(-1)!.newEnd)]);
    } else if (touching.length === 0) {
      const start = offsets[toTheirs(range.start, theirRanges)]!;
      const end = offsets[toTheirs(range.end, theirRanges)]!;
      edits.push({ start, end, text });
    }
  }
  return lines.length > 0 ? { kind: 'conflict', lines } : { kind: 'merged', edits };
}

function touches(one: ChangedRange, other: ChangedRange): boolean {
  return one.start <= other.end && other.start <= one.end;
}

function sameRange(one: ChangedRange, other: ChangedRange): boolean {
  return one.start === other.start && one.end === other.end;
}

/** The index in their text of a base line that lies in none of their changes, or at the border of one. */
function toTheirs(line: number, theirRanges: ChangedRange[]): number {
  const before = theirRanges.filter((range) => range.end <= line).at(-1);
  return before ? before.newEnd + (line - before.end) : line;
}

function lineOffsets(lines: string[]): number[] {
  const offsets = [0];
  for (const line of lines) offsets.push(offsets.at(-1)! + line.length);
  return offsets;
}
