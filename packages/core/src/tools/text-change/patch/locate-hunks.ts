import { ToolError } from '@toolwright/machine/base/errors.js';
import { applyEdits, type TextEdit } from '@toolwright/machine/base/text-codec.js';
import { composeEdits } from '../replace/compose-edits.js';
import { describeNearMiss, diagnose } from '../replace/diagnosis.js';
import { type Relaxation, replaceText } from '../replace/replace.js';
import type { PatchHunk } from './parse-patch.js';

export interface LocatedHunks {
  edits: TextEdit[];
  relaxed: Relaxation[];
}

/**
 * Finds each hunk below the one before it and says what to write there. A hunk that stands in several places is refused:
 * a guess might change the wrong one.
 */
export async function locateHunks(
  original: string,
  hunks: readonly PatchHunk[],
  shown: string,
): Promise<LocatedHunks> {
  let text = original;
  let edits: TextEdit[] = [];
  let from = 0;
  const relaxed = new Set<Relaxation>();
  for (const [index, hunk] of hunks.entries()) {
    const name = `Hunk ${index + 1} of ${shown} (line ${hunk.line} of the patch)`;
    const start = belowHeaders(text, hunk, { from, name });
    const found = await locateHunk(text, hunk, { start, name });
    for (const each of found.relaxed) relaxed.add(each);
    edits = composeEdits(original.length, edits, found.edits);
    text = applyEdits(text, found.edits);
    const last = found.edits.at(-1);
    const grown = found.edits.reduce((sum, edit) => sum + edit.text.length - (edit.end - edit.start), 0);
    // An edit covers whole lines, so the next line begins at its end.
    if (last) from = last.end + grown;
  }
  return { edits, relaxed: [...relaxed] };
}

interface HunkPlace {
  /** Offset of the line at which the search begins. */
  start: number;
  name: string;
}

async function locateHunk(text: string, hunk: PatchHunk, { start, name }: HunkPlace): Promise<LocatedHunks> {
  const ending = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  if (hunk.before.length === 0) return { edits: [insertion(text, hunk, { start, ending })], relaxed: [] };
  const from = hunk.atEnd ? Math.max(start, startOfLastLines(text, hunk.before.length)) : start;
  // Line ends around the part make a match begin and end with whole lines.
  const isEnded = /[\r\n]$/.test(text) || text === '';
  const part = `${ending}${text.slice(from)}${isEnded ? '' : ending}`;
  const request = { text: part, oldText: asLines(hunk.before), newText: asLines(hunk.after) };
  const outcome = await replaceText(request);
  switch (outcome.kind) {
    case 'replaced': {
      const edits = outcome.edits.map((edit) => intoText(edit, { part, from, ending, length: text.length }));
      return { edits, relaxed: outcome.relaxed };
    }
    case 'unchanged':
      return { edits: [], relaxed: [] };
    case 'several': {
      const before = text.slice(0, from).split(/\r\n|\n|\r/).length - 1;
      const lines = outcome.lines.map((line) => line + before).join(', ');
      throw new ToolError(
        'invalid_params',
        `${name} fits at lines ${lines}. Nothing was changed. Add lines around it, or a line "@@ LINE ABOVE", until it is unique.`,
      );
    }
    case 'missing':
      // The hunks of some patches are out of order.
      if (start > 0) return locateHunk(text, hunk, { start: 0, name });
      throw await notFound(request, name);
  }
}

async function notFound(
  { text, oldText, newText }: { text: string; oldText: string; newText: string },
  name: string,
): Promise<ToolError> {
  const diagnosis = await diagnose({ text, oldText, newText, seenText: null, madeBefore: false });
  const nearest = diagnosis.kind === 'near' ? ` ${describeNearMiss(diagnosis.miss, text)}\n` : ' ';
  return new ToolError(
    'not_found',
    `${name} was not found. Nothing was changed.${nearest}Send its lines exactly as the file has them.`,
  );
}

function asLines(lines: readonly string[]): string {
  return ['', ...lines, ''].join('\n');
}

/** Lines without any to look for go below the line that is named, or to the end. */
function insertion(
  text: string,
  { after, below, atEnd }: PatchHunk,
  { start, ending }: { start: number; ending: string },
): TextEdit {
  const lines = after.map((line) => line + ending).join('');
  const at = below.length > 0 && !atEnd ? start : text.length;
  const isInLine = at > 0 && !/[\r\n]/.test(text[at - 1] ?? '');
  return { start: at, end: at, text: isInLine ? ending + lines : lines };
}

/** An edit of the part as one of the text; the line ends that were added around the part are not in it. */
function intoText(
  edit: TextEdit,
  { part, from, ending, length }: { part: string; from: number; ending: string; length: number },
): TextEdit {
  const old = part.slice(edit.start, edit.end);
  let same = 0;
  while (same < old.length && same < edit.text.length && old[same] === edit.text[same]) same += 1;
  const start = edit.start + same - ending.length + from;
  const end = Math.min(edit.end - ending.length + from, length);
  const text = edit.text.slice(same);
  // The last line of the file had no end, and something comes after it.
  if (start > length) return { start: length, end: length, text: ending + text };
  return { start, end: Math.max(start, end), text };
}

/** Offset of the line below the lines that the hunk names. */
function belowHeaders(
  text: string,
  { below, line }: PatchHunk,
  { from, name }: { from: number; name: string },
): number {
  let at = from;
  for (const header of below) {
    const found = lineAfter(text, header, at) ?? lineAfter(text, header, 0);
    if (found === null) {
      throw new ToolError(
        'not_found',
        `${name}: the line ${JSON.stringify(header)} of its "@@" (line ${line} of the patch) is not in the file. Nothing was changed.`,
      );
    }
    at = found;
  }
  return at;
}

/** Offset behind the first line that reads so; blanks around it don't count. */
function lineAfter(text: string, wanted: string, from: number): number | null {
  for (let at = from; at < text.length; ) {
    const next = nextLine(text, at);
    if (text.slice(at, next).trim() === wanted.trim()) return next;
    at = next;
  }
  return null;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function startOfLastLines(text: string, count: number): number {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let left = count; left > 0; left -= 1) {
    if (at < 0) return 0;
    at = text.lastIndexOf('\n', at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}
