import { formatBytes, plural } from './amounts.js';
import type { FileDiffEntry } from './content.js';
import { applyEdits, decodeText, type TextEdit, type TextRange } from './text-codec.js';

/** `before[start, end)` became `after[newStart, newEnd)`. */
export interface ChangedRange {
  start: number;
  end: number;
  newStart: number;
  newEnd: number;
}

export interface SequenceOptions {
  /** The most edits to look for: beyond, all between the first and the last difference counts as one change. */
  mostEdits?: number;
}

/** Limits on work, never on time: a busy machine must find what an idle one finds. */
const MOST_EDITS = 3_000;
const MOST_STEPS = 600_000_000;

const CONTEXT_LINES = 3;
const MAX_COMPARED_CHARACTERS = 8_000_000;
const MAX_UNIFIED_CHARACTERS = 200_000;
const MAX_LINE_CHARACTERS = 2_000;

/** Ranges in which two sequences differ: in order, not touching, none empty on both sides. */
export async function compareSequences(
  before: readonly string[],
  after: readonly string[],
  options: SequenceOptions = {},
): Promise<ChangedRange[]> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const middle = { start: head, end: before.length - tail, newStart: head, newEnd: after.length - tail };
  if (middle.start === middle.end && middle.newStart === middle.newEnd) return [];
  if (middle.start === middle.end || middle.newStart === middle.newEnd) return [middle];
  const size = middle.end - middle.start + middle.newEnd - middle.newStart;
  const { diffArrays } = await import('diff');
  const parts = diffArrays(
    before.slice(middle.start, middle.end),
    after.slice(middle.newStart, middle.newEnd),
    { maxEditLength: Math.min(options.mostEdits ?? MOST_EDITS, Math.ceil(MOST_STEPS / size)) },
  );
  return parts ? rangesOf(parts, middle) : [middle];
}

interface DiffPart {
  added: boolean;
  removed: boolean;
  count: number;
}

function rangesOf(parts: readonly DiffPart[], middle: ChangedRange): ChangedRange[] {
  const ranges: ChangedRange[] = [];
  let [at, newAt] = [middle.start, middle.newStart];
  let open: ChangedRange | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      open = undefined;
      at += part.count;
      newAt += part.count;
      continue;
    }
    if (!open) ranges.push((open = { start: at, end: at, newStart: newAt, newEnd: newAt }));
    if (part.removed) open.end = at += part.count;
    else open.newEnd = newAt += part.count;
  }
  return ranges;
}

/** Lines including their line feeds; the last may have none. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

export interface DiffInput {
  path: string;
  /** Text or bytes; null when there is no file. */
  before: string | Uint8Array | null;
  after: string | Uint8Array | null;
  /** The edits that lead from one text to the other, in order, if known. Saves looking for them. */
  edits?: readonly TextEdit[];
  /** Number of lines before the texts, if they are parts of a file. */
  linesBefore?: number;
  /** Longer diffs are told by their size alone. */
  mostCharacters?: number;
}

/** The difference between two contents of a file as the user sees it. */
export async function diffFile(input: DiffInput): Promise<FileDiffEntry> {
  const { path } = input;
  const change = input.before === null ? 'create' : input.after === null ? 'delete' : 'modify';
  const before = await textOf(input.before);
  const after = await textOf(input.after);
  if (before === null || after === null) {
    return { path, change, unified: binaryNote(input), added: 0, removed: 0 };
  }
  const compared = input.edits?.length ? editedRegion(before, input.edits) : differingRegion(before, after);
  const { linesBefore = 0, mostCharacters = MAX_UNIFIED_CHARACTERS } = input;
  const whole: Compared = { path, change, before, linesBefore, mostCharacters, ...compared };
  return { path, change, ...(await diffRegion(whole)) };
}

async function textOf(content: string | Uint8Array | null): Promise<string | null> {
  if (content === null || typeof content === 'string') return content ?? '';
  return (await decodeText(content))?.text ?? null;
}

function binaryNote({ before, after }: DiffInput): string {
  const size = (content: string | Uint8Array | null) =>
    content === null ? 'nothing' : formatBytes(Buffer.byteLength(content));
  return `Binary content: ${size(before)} before, ${size(after)} after.`;
}

type DiffText = Pick<FileDiffEntry, 'unified' | 'added' | 'removed'>;

interface Compared {
  path: string;
  change: FileDiffEntry['change'];
  before: string;
  linesBefore: number;
  mostCharacters: number;
  /** Whole lines that differ, with context around them, and the text that replaces them. */
  region: TextRange;
  replacement: string;
}

async function diffRegion(compared: Compared): Promise<DiffText> {
  const { path, change, before, region, replacement, mostCharacters } = compared;
  const original = before.slice(region.start, region.end);
  const oldLines = splitLines(original);
  const newLines = splitLines(replacement);
  const tooLarge = original.length + replacement.length > MAX_COMPARED_CHARACTERS;
  const ranges = tooLarge
    ? [{ start: 0, end: oldLines.length, newStart: 0, newEnd: newLines.length }]
    : await compareSequences(oldLines, newLines);
  const removed = ranges.reduce((sum, range) => sum + range.end - range.start, 0);
  const added = ranges.reduce((sum, range) => sum + range.newEnd - range.newStart, 0);
  // Every line takes at least two characters.
  const isLong = 2 * (added + removed) > mostCharacters;
  if (tooLarge || isLong) return { unified: sizeNote(added, removed), added, removed };
  const show = lineFormatter(before, replacement);
  const firstLine = compared.linesBefore + lineNumbersAt(before, [region.start])[0]! - 1;
  const hunks = hunksOf(ranges, { oldLines, newLines, firstLine });
  if (hunks.length === 0) {
    return { unified: change === 'modify' ? 'No change in the text.' : 'Empty file.', added, removed };
  }
  const unified = [
    `--- ${change === 'create' ? '/dev/null' : `a/${path}`}`,
    `+++ ${change === 'delete' ? '/dev/null' : `b/${path}`}`,
    ...hunks.flatMap((hunk) => [hunk.header, ...hunk.lines.map(show)]),
    '',
  ].join('\n');
  return {
    unified: unified.length > mostCharacters ? sizeNote(added, removed) : unified,
    added,
    removed,
  };
}

function sizeNote(added: number, removed: number): string {
  return `Too large to show: ${plural(added, 'line')} added, ${plural(removed, 'line')} removed.`;
}

type ChangedRegion = Pick<Compared, 'region' | 'replacement'>;

function editedRegion(before: string, edits: readonly TextEdit[]): ChangedRegion {
  const region = linesAround(before, { start: edits[0]!.start, end: edits.at(-1)!.end }, CONTEXT_LINES);
  return { region, replacement: editRange(before, region, edits) };
}

/** A range of the text after the edits, all of which lie in it. */
export function editRange(text: string, { start, end }: TextRange, edits: readonly TextEdit[]): string {
  const moved = edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
  return applyEdits(text.slice(start, end), moved);
}

function differingRegion(before: string, after: string): ChangedRegion {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, Math.min(before.length, after.length) - head);
  const region = linesAround(before, { start: head, end: before.length - tail }, CONTEXT_LINES);
  return { region, replacement: after.slice(region.start, after.length - (before.length - region.end)) };
}

const CHUNK = 16_384;

/** In chunks, because comparing whole slices is many times faster than comparing characters. */
function commonHead(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at + CHUNK <= most && one.slice(at, at + CHUNK) === other.slice(at, at + CHUNK)) at += CHUNK;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

function commonTail(one: string, other: string, most: number): number {
  let tail = 0;
  const chunk = (text: string) => text.slice(text.length - tail - CHUNK, text.length - tail);
  while (tail + CHUNK <= most && chunk(one) === chunk(other)) tail += CHUNK;
  const same = () => one.charCodeAt(one.length - 1 - tail) === other.charCodeAt(other.length - 1 - tail);
  while (tail < most && same()) tail++;
  return tail;
}

/** The range widened to whole lines, plus `count` lines before and after it. */
export function linesAround(text: string, range: TextRange, count: number): TextRange {
  let start = range.start === 0 ? 0 : text.lastIndexOf('\n', range.start - 1) + 1;
  for (let lines = 0; lines < count && start > 0; lines++) {
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  let end = range.end;
  const inside = end === 0 || text[end - 1] !== '\n' || range.start === range.end;
  for (let lines = inside ? -1 : 0; lines < count && end < text.length; lines++) {
    const newline = text.indexOf('\n', end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return { start, end };
}

/** The 1-based line of each offset; offsets in ascending order. */
export function lineNumbersAt(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let newline = text.indexOf('\n');
  return offsets.map((offset) => {
    for (; newline !== -1 && newline < offset; newline = text.indexOf('\n', newline + 1)) line++;
    return line;
  });
}

interface Hunk {
  header: string;
  lines: string[];
}

interface HunkSource {
  oldLines: string[];
  newLines: string[];
  /** Lines before the first of `oldLines`. */
  firstLine: number;
}

function hunksOf(ranges: ChangedRange[], source: HunkSource): Hunk[] {
  const groups: ChangedRange[][] = [];
  for (const range of ranges) {
    const last = groups.at(-1)?.at(-1);
    if (last && range.start - last.end <= CONTEXT_LINES * 2) groups.at(-1)!.push(range);
    else groups.push([range]);
  }
  return groups.map((group) => hunkOf(group, source));
}

function hunkOf(group: ChangedRange[], { oldLines, newLines, firstLine }: HunkSource): Hunk {
  const first = group[0]!;
  const last = group.at(-1)!;
  const start = Math.max(0, first.start - CONTEXT_LINES);
  const end = Math.min(oldLines.length, last.end + CONTEXT_LINES);
  const newStart = first.newStart - (first.start - start);
  const newEnd = last.newEnd + (end - last.end);
  const lines: string[] = [];
  const show = (mark: string, shown: readonly string[]): void => {
    for (const line of shown) lines.push(mark + line);
  };
  let at = start;
  for (const range of group) {
    show(' ', oldLines.slice(at, range.start));
    show('-', oldLines.slice(range.start, range.end));
    show('+', newLines.slice(range.newStart, range.newEnd));
    at = range.end;
  }
  show(' ', oldLines.slice(at, end));
  const header = `@@ -${lineSpan(firstLine + start, end - start)} +${lineSpan(firstLine + newStart, newEnd - newStart)} @@`;
  return { header, lines };
}

/** The place of some lines behind so many others, as a unified diff writes it. */
export function lineSpan(before: number, count: number): string {
  const line = count === 0 ? before : before + 1;
  return count === 1 ? `${line}` : `${line},${count}`;
}

/** Shows the CR at a line end only where it tells something: in files that do not end every line with one. */
function lineFormatter(before: string, after: string): (line: string) => string {
  let uniform: boolean | undefined;
  const hidesReturn = () => (uniform ??= [before, after].every(endsLinesWithCrLf));
  return (line) => {
    const complete = line.endsWith('\n');
    const body = complete ? line.slice(0, -1) : line;
    const shown = body.endsWith('\r') ? `${body.slice(0, -1)}${complete && hidesReturn() ? '' : '␍'}` : body;
    return complete ? cutLine(shown) : `${cutLine(shown)}\n\\ No newline at end of file`;
  };
}

function endsLinesWithCrLf(text: string): boolean {
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] !== '\r') return false;
  }
  return true;
}

function cutLine(line: string): string {
  const rest = line.length - MAX_LINE_CHARACTERS;
  return rest > 0 ? `${line.slice(0, MAX_LINE_CHARACTERS)}… (${plural(rest, 'character')} more)` : line;
}
