import { plural } from '../../base/amounts.js';
import { lineNumbersAt } from '../../base/diff.js';
import type { TextPlan } from './plan.js';

const CONTEXT = 3;
const SHOWN_LINES = 40;
const SHOWN_LINE_LENGTH = 400;

/** "12 lines added, 3 removed". */
export function countChanges({ planned }: TextPlan): string {
  const [entry] = planned?.diff.files ?? [];
  return entry ? `${plural(entry.added, 'line')} added, ${entry.removed} removed` : 'nothing changed';
}

export function encodingNote({ target: { file } }: TextPlan): string[] {
  if (!file || (file.decoded.encoding === 'utf-8' && file.decoded.bomLength === 0)) return [];
  const mark = file.decoded.bomLength > 0 ? ' with byte order mark' : '';
  return [`Encoding kept: ${file.decoded.encoding}${mark}.`];
}

/** The changed places as they read now, with a few lines around them. */
export function snippets({ edits, text }: TextPlan): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const ranges = mergeRanges(changedLines(edits, text), lines.length);
  const shown: string[] = [];
  let room = SHOWN_LINES;
  for (const [first, last] of ranges) {
    if (room <= 0) break;
    const end = Math.min(last, first + room - 1);
    const body = lines.slice(first - 1, end).map((line) => cut(line.replace(/\r$/, '')));
    shown.push(`${first === end ? `Line ${first}` : `Lines ${first}-${end}`} now:\n${body.join('\n')}`);
    room -= end - first + 1;
  }
  const left = ranges.length - shown.length;
  if (left > 0) shown.push(`… and ${plural(left, 'more place')}.`);
  return shown.join('\n');
}

function cut(line: string): string {
  return line.length > SHOWN_LINE_LENGTH ? `${line.slice(0, SHOWN_LINE_LENGTH)}…` : line;
}

/** 1-based first and last line of each edit in the text after all of them. */
export function changedLines(edits: TextPlan['edits'], text: string): [number, number][] {
  let shift = 0;
  const offsets = edits.flatMap((edit) => {
    const start = edit.start + shift;
    shift += edit.text.length - (edit.end - edit.start);
    return [start, Math.max(start, start + edit.text.replace(/\r?\n$/, '').length)];
  });
  const numbers = lineNumbersAt(text, offsets);
  return edits.map((_edit, index) => [numbers[index * 2]!, numbers[index * 2 + 1]!]);
}

function mergeRanges(ranges: [number, number][], lineCount: number): [number, number][] {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges) {
    const from = Math.max(1, Math.min(first - CONTEXT, lineCount));
    const to = Math.min(lineCount, last + CONTEXT);
    const before = merged.at(-1);
    if (before && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else if (to >= from) merged.push([from, to]);
  }
  return merged;
}
