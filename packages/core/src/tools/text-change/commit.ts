import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import {
  diffFile,
  editRange,
  lineNumbersAt,
  linesAround,
  splitLines,
} from '@toolwright/machine/base/diff.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { mergeTexts } from '@toolwright/machine/base/merge.js';
import type { TextEdit, TextRange } from '@toolwright/machine/base/text-codec.js';
import { head } from '@toolwright/machine/base/truncate.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { IsHidden } from '../search/place.js';
import {
  type Excerpt,
  type ExistingTarget,
  exists,
  loadTarget,
  planEdits,
  type Target,
  type TextChangeHost,
  type TextPlan,
} from './plan.js';
import type { SeenFiles } from './seen-files.js';

/** Needs of a tool that changes text files. */
export interface TextChangeOptions {
  /** Carries out a planned change if every file is still as planned; gives the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
  /** Files that the model has seen; without it files may be changed unread. */
  seen?: SeenFiles | undefined;
  /** True for paths whose names must not be told. */
  hidden?: IsHidden | undefined;
  /** True for a text with secrets, which the model is never shown. */
  holdsSecret?: ((text: string) => boolean) | undefined;
}

export interface TextChangeNeeds extends TextChangeOptions {
  host: TextChangeHost;
}

interface CommittedText {
  plan: TextPlan;
  /** Absent when someone else had made the same change by then. */
  changeSet?: string;
}

/** Enough for this many processes that change one file at once. */
const ATTEMPTS = 100;

/** Edits of the same call in another version of the text; null where they can't be told. */
export type Reapply = (text: string) => Promise<TextEdit[] | null>;

interface CommitPlanOptions {
  parts: TextChangeNeeds;
  reapply?: Reapply | undefined;
  signal: AbortSignal;
}

/** Commits the plan; where someone else was faster in another part of the file, both changes are brought together. */
export async function commitPlan(
  first: TextPlan & { planned: PlannedChanges },
  { parts, reapply, signal }: CommitPlanOptions,
): Promise<CommittedText> {
  let plan = first;
  for (let attempt = 1; ; attempt++) {
    try {
      const changeSet = await parts.commit(plan.planned, signal);
      parts.seen?.saw(plan.target.realPath, { hash: hashAfter(plan.planned), bytes: plan.bytes });
      return { plan, changeSet };
    } catch (error) {
      if (!isToolError(error) || error.code !== 'conflict' || attempt === ATTEMPTS) throw error;
      const present = await loadTarget(parts.host, plan.target.path, signal);
      if (!isNewVersion(present, plan.target)) throw error;
      const merged = await mergeWithPresent(first, present, { parts, reapply, signal });
      if (!merged) throw error;
      if (!merged.planned) return { plan: merged };
      plan = { ...merged, planned: merged.planned };
    }
  }
}

function hashAfter({ changeSet: { changes } }: PlannedChanges): string | undefined {
  const [change] = changes;
  return change && 'after' in change && typeof change.after === 'object' ? change.after.hash : undefined;
}

/** A link may lead elsewhere by now, to a file that nobody was asked about. */
function isNewVersion(present: Target, planned: Target): present is ExistingTarget {
  return exists(present) && present.realPath === planned.realPath && present.file.hash !== planned.file?.hash;
}

/** From the first plan, whatever was tried since: what others did is told once, as one difference. */
async function mergeWithPresent(
  first: TextPlan,
  present: ExistingTarget,
  { parts, reapply }: CommitPlanOptions,
): Promise<TextPlan | null> {
  if (!exists(first.target)) return null;
  const base = first.target.file.decoded.text;
  const edits =
    (await reapply?.(present.file.decoded.text)) ??
    (await mergedEdits(present, { base, ours: first.text() }, parts.seen));
  const again = await planEdits(parts.host, present, edits);
  return { ...again, notes: [...first.notes, await noteOfMerge(present, base)] };
}

/** Our change of an older text as edits of the present one; a conflict shows what others changed. */
export async function mergedEdits(
  present: ExistingTarget,
  { base, ours }: { base: string; ours: string },
  seen: SeenFiles | undefined,
): Promise<TextEdit[]> {
  const theirs = present.file.decoded.text;
  const result = await mergeTexts({ base, ours, theirs });
  if (result.kind === 'merged') return result.edits;
  const changes = await changesSince(present, base);
  seen?.saw(present.realPath, present.file);
  const lines = result.lines
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
    .join(', ');
  const where = /\D/.test(lines) ? `lines ${lines}` : `line ${lines}`;
  throw new ToolError(
    'conflict',
    `${present.shown} was changed by someone else in the same part (now ${where}), so nothing was written. What they changed:\n${changes}\nTake their change into account and repeat the call.`,
  );
}

export async function noteOfMerge(present: ExistingTarget, base: string): Promise<string> {
  return `Someone else had changed other lines of ${present.shown} meanwhile; they were kept:\n${await changesSince(present, base)}`;
}

/** A short diff from an older text to the present one. */
export async function changesSince(present: ExistingTarget, base: string): Promise<string> {
  const { unified } = await diffFile({ path: present.shown, before: base, after: present.file.decoded.text });
  const body = unified.replace(/^---.*\n\+\+\+.*\n/, '').replace(/\n$/, '');
  const { text, truncated } = head(body, { maxBytes: 4_000, maxLines: 60 });
  return truncated ? `${text.trimEnd()}\n… (more; read the file)` : text;
}

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

export function encodingNote({ target: { file } }: TextPlan): string[] {
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
