import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import { editRange, lineNumbersAt, linesAround, splitLines } from '@toolwright/machine/base/diff.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { TextEdit, TextRange } from '@toolwright/machine/base/text-codec.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import type { ToolResult } from '../tools.js';
import { type CommittedText, type Excerpt, inPlaceNote, type TextPlan } from './text-plan.js';

const CONTEXT = 3;
const SHOWN_LINES = 40;
const SHOWN_LINE_LENGTH = 400;
/** Places beyond this number would not fit anyway. */
const MOST_PLACES = 100;
const MOST_LISTED = 20;

/** "12 lines added, 3 removed". */
export function countChanges({ planned }: TextPlan): string {
  const [entry] = planned?.diff.files ?? [];
  return entry
    ? `${plural(entry.added, 'line')} added, ${formatNumber(entry.removed)} removed`
    : 'nothing changed';
}

/** The effects of a change of one file: it is read first. */
export function effectsOfChange(path: string): Effect[] {
  return [
    { kind: 'read', path },
    { kind: 'write', path },
  ];
}

/** The result of a change that was committed; `places` are the lines that changed, as they read now. */
export function resultOfChange(
  { plan, changeSet }: CommittedText,
  { headline, places, nothingLeft }: { headline: string; places?: string; nothingLeft: string },
): ToolResult {
  const lines = [headline, ...plan.notes, ...encodingNote(plan), ...inPlaceNote(plan.target)];
  return {
    llmContent: (places === undefined ? lines : [...lines, places]).join('\n'),
    returnDisplay: plan.planned?.diff ?? nothingLeft,
    changeSet,
  };
}

function encodingNote({ target: { file } }: TextPlan): string[] {
  if (!file || (file.decoded.encoding === 'utf-8' && file.decoded.bomLength === 0)) return [];
  const mark = file.decoded.bomLength > 0 ? ' with byte order mark' : '';
  return [`Encoding kept: ${file.decoded.encoding}${mark}.`];
}

/** The changed places as they read now, with a few lines around them. */
export function snippets({ excerpt }: TextPlan): string {
  const { text: before, edits, linesBefore } = excerpt;
  const places = placesOf(edits.slice(0, MOST_PLACES), before);
  const numbers = lineNumbersAt(
    before,
    places.map(({ range }) => range.start),
  );
  const shown: string[] = [];
  let room = SHOWN_LINES;
  let shift = linesBefore;
  for (const [index, place] of places.entries()) {
    const lines = splitLines(editRange(before, place.range, place.edits));
    const first = numbers[index]! + shift;
    shift += addedLines(place.edits, before);
    if (room <= 0 || lines.length === 0) continue;
    const body = lines.slice(0, room).map((line) => cut(line.replace(/\r?\n$/, '')));
    const last = first + body.length - 1;
    shown.push(`${first === last ? `Line ${first}` : `Lines ${first}-${last}`} now:\n${body.join('\n')}`);
    room -= body.length;
  }
  const hidden = room <= 0 && places.length > shown.length;
  if (hidden || edits.length > MOST_PLACES) shown.push('… and more places further down.');
  return shown.join('\n');
}

function cut(line: string): string {
  return line.length > SHOWN_LINE_LENGTH ? `${line.slice(0, SHOWN_LINE_LENGTH)}…` : line;
}

interface ChangedPlace {
  range: TextRange;
  edits: TextEdit[];
}

/** Edits whose surroundings meet are shown together. */
function placesOf(edits: readonly TextEdit[], before: string): ChangedPlace[] {
  const places: ChangedPlace[] = [];
  for (const edit of edits) {
    const range = linesAround(before, edit, CONTEXT);
    const last = places.at(-1);
    if (last && range.start <= last.range.end) {
      last.range.end = Math.max(last.range.end, range.end);
      last.edits.push(edit);
    } else places.push({ range, edits: [edit] });
  }
  return places;
}

function addedLines(edits: readonly TextEdit[], before: string): number {
  const count = (text: string) => lineNumbersAt(text, [text.length])[0]! - 1;
  return edits.reduce((sum, { start, end, text }) => sum + count(text) - count(before.slice(start, end)), 0);
}

/** "line 3", "lines 3, 8, 12 …". */
export function lineList(lines: readonly number[]): string {
  const distinct = [...new Set(lines)];
  const shown = distinct.slice(0, MOST_LISTED).join(', ');
  return `${distinct.length === 1 ? 'line' : 'lines'} ${shown}${distinct.length > MOST_LISTED ? ' …' : ''}`;
}

/** 1-based first line of each edit in the text after all of them. */
export function changedLines({ text: before, edits, linesBefore }: Excerpt): number[] {
  let shift = linesBefore;
  return lineNumbersAt(
    before,
    edits.map(({ start }) => start),
  ).map((line, index) => {
    const moved = line + shift;
    shift += addedLines([edits[index]!], before);
    return moved;
  });
}

/** A path of the model's as the user knows it; one that lies outside stays as it was written. */
export function shownPath(workspace: Pick<Workspace, 'resolve' | 'show'>, path: string): string {
  try {
    return workspace.show(workspace.resolve(path));
  } catch {
    return path;
  }
}
