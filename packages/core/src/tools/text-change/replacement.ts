import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import { editRange, lineNumbersAt, linesAround, splitLines } from '@toolwright/machine/base/diff.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { applyEdits, type TextEdit, type TextRange } from '@toolwright/machine/base/text-codec.js';
import { describeNearMiss, diagnose } from './replace/diagnosis.js';
import { findExactExcerpt, type ReplaceOutcome, replaceText } from './replace/replace.js';
import {
  changesSince,
  type Excerpt,
  type ExistingTarget,
  mergedEdits,
  noteOfMerge,
  olderText,
  planEdits,
  planPart,
  readText,
  requireSeen,
  type TextChangeNeeds,
  type TextPlan,
} from './text-plan.js';

interface Replacement {
  oldText: string;
  newText: string;
  replaceAll: boolean;
  expected: number | undefined;
  /** This very edit was carried out before. */
  madeBefore: boolean;
}

type Several = Extract<ReplaceOutcome, { kind: 'several' }>;
type Replaced = Extract<ReplaceOutcome, { kind: 'replaced' }>;

const LISTED_PLACES = 10;

interface Asked extends Replacement {
  target: ExistingTarget;
  /** The text that the model saw, where others have changed the file since. */
  older: string | null;
  /** The same where anybody has, the model's own commands included. */
  read: string | null;
}

/** From old and new text to a plan, or to an error that says what is there instead. */
export async function planReplacement(
  target: ExistingTarget,
  replacement: Replacement,
  needs: TextChangeNeeds,
): Promise<TextPlan> {
  const version = requireSeen(target, needs.seen);
  const older = await olderText(target, version);
  const { oldText, newText, expected } = replacement;
  const { shown, file } = target;
  refuseCutOff({ name: 'new_string', text: newText, replaced: oldText, shown });
  const replaceAll = replacement.replaceAll || (expected ?? 1) > 1;
  const quick = older === null && !replaceAll ? await planInPart(target, replacement, needs) : null;
  if (quick) return quick;
  const outcome = await replaceText({ text: file.decoded.text, oldText, newText, replaceAll });
  const asked: Asked = { ...replacement, target, older, read: await readText(target, version) };
  switch (outcome.kind) {
    case 'replaced':
      if (expected !== undefined && expected !== outcome.edits.length) {
        throw miscount(
          expected,
          changedLines({ text: file.decoded.text, edits: outcome.edits, linesBefore: 0 }),
          shown,
        );
      }
      return planFound(asked, outcome, needs);
    case 'unchanged':
      return unchangedPlan(target, `${shown} already has this text at ${lineList(outcome.lines)}.`);
    case 'several':
      if (expected !== undefined && expected !== outcome.lines.length)
        throw miscount(expected, outcome.lines, shown);
      return planFromOlder(asked, outcome, needs);
    case 'missing':
      return explainMiss(asked, needs);
  }
}

/** The usual case of a large file, decided on the few lines around the only exact match. */
async function planInPart(
  target: ExistingTarget,
  { oldText, newText }: Replacement,
  { host }: TextChangeNeeds,
): Promise<TextPlan | null> {
  const { bytes, decoded } = target.file;
  if (decoded.encoding !== 'utf-8' || !decoded.exact || /[\r\0]/.test(newText)) return null;
  const part = findExactExcerpt({ bytes, bomLength: decoded.bomLength }, oldText);
  if (!part) return null;
  const outcome = await replaceText({ text: part.text, oldText, newText });
  return outcome.kind === 'replaced' ? planPart(host, target, { part, edits: outcome.edits }) : null;
}

async function planFound(
  { target, older }: Asked,
  { edits, relaxed }: Replaced,
  { host }: TextChangeNeeds,
): Promise<TextPlan> {
  const plan = await planEdits(host, target, edits);
  if (relaxed.length > 0) {
    const what = relaxed.join(' and ');
    plan.notes.push(`old_string was found by overlooking ${what}; unchanged text keeps the file's own.`);
  }
  if (older !== null) plan.notes.push(await noteOfMerge(target, older));
  return plan;
}

/** A text that is ambiguous now may have been unique in the version that the model saw. */
async function planFromOlder(
  { target, older, oldText, newText, replaceAll }: Asked,
  several: Several,
  { host, seen }: TextChangeNeeds,
): Promise<TextPlan> {
  const then = older === null || replaceAll ? null : await replaceText({ text: older, oldText, newText });
  if (older === null || then?.kind !== 'replaced') throw ambiguous(target, several, replaceAll);
  const ours = applyEdits(older, then.edits);
  const plan = await planEdits(host, target, await mergedEdits(target, { base: older, ours }, seen));
  plan.notes.push(await noteOfMerge(target, older));
  return plan;
}

async function explainMiss(
  { target, oldText, newText, read, madeBefore }: Asked,
  { seen }: TextChangeNeeds,
): Promise<TextPlan> {
  const { shown, file } = target;
  const { text } = file.decoded;
  const diagnosis = await diagnose({ text, oldText, newText, seenText: read, madeBefore });
  switch (diagnosis.kind) {
    case 'applied':
      return unchangedPlan(
        target,
        `old_string is not in ${shown}${standing(diagnosis.line)}: the edit has been made before.`,
      );
    case 'stale': {
      const changes = await changesSince(target, read ?? '');
      seen?.saw(target.realPath, file);
      throw new ToolError(
        'conflict',
        `${shown} has changed since you last saw it, in the very part that old_string stands for. Nothing was written. What changed:\n${changes}\nRepeat the edit with the text as it is now.`,
      );
    }
    case 'near':
      throw new ToolError(
        'not_found',
        `old_string was not found in ${shown}; nothing was changed. ${describeNearMiss(diagnosis.miss, text)}\n${perhapsDone(diagnosis)}Send old_string exactly as the file has it.`,
      );
    case 'absent':
      throw new ToolError(
        'not_found',
        `old_string was not found in ${shown}, nor anything like it; nothing was changed. ${perhapsDone(diagnosis)}Read the file, or search for the text with grep_search.`,
      );
  }
}

function standing(line: number | undefined): string {
  return line === undefined ? '' : `, and new_string already stands in its place at line ${line}`;
}

function perhapsDone({ standsAt }: { standsAt?: number }): string {
  return standsAt === undefined
    ? ''
    : `new_string stands at line ${standsAt}; if that is the place you mean, nothing is left to do. `;
}

function unchangedPlan(target: ExistingTarget, note: string): TextPlan {
  const { bytes, decoded } = target.file;
  const excerpt = { text: '', edits: [], linesBefore: 0 };
  return { target, excerpt, text: () => decoded.text, bytes, planned: null, notes: [note] };
}

function miscount(expected: number, lines: number[], shown: string): ToolError {
  return new ToolError(
    'invalid_params',
    `expected_replacements is ${expected}, but old_string stands at ${plural(lines.length, 'place')} in ${shown}: ${lineList(lines)}. Nothing was changed.`,
  );
}

function ambiguous(
  { shown, file }: ExistingTarget,
  { lines, relaxed }: Several,
  replaceAll: boolean,
): ToolError {
  const distinct = [...new Set(lines)];
  const content = splitLines(file.decoded.text);
  const listed = distinct
    .slice(0, LISTED_PLACES)
    .map((line) => `${line}: ${(content[line - 1] ?? '').replace(/\r?\n$/, '').slice(0, 160)}`);
  const more =
    distinct.length > LISTED_PLACES ? [`… and ${plural(distinct.length - LISTED_PLACES, 'more line')}`] : [];
  const how = relaxed.length > 0 ? ` (overlooking ${relaxed.join(' and ')})` : '';
  const remedy = replaceAll
    ? 'They can be read in different ways, so all at once is not possible. Send old_string exactly as the file has it.'
    : 'Add lines around it until it is unique, or set replace_all.';
  return new ToolError(
    'invalid_params',
    `old_string stands at ${plural(lines.length, 'place')} in ${shown}${how}; nothing was changed.\n${[...listed, ...more].join('\n')}\n${remedy}`,
  );
}

/** Signs that a text was shortened where a file needs it whole: "// ... rest of the code unchanged". */

const dots = String.raw`(?:\.{3}|\u2026)`;
const parts = `(?:code|file|content|contents|function|functions|class|method|methods|imports?|implementation|document|component|lines?|section|text|logic|tests?)`;
const elisions = [
  new RegExp(
    String.raw`^${dots}\s*[([]?(?:the\s+)?(?:rest|remaining|remainder|existing|previous|unchanged|same|other|omitted|truncated|more|snip|etc)\b`,
    'i',
  ),
  new RegExp(
    String.raw`^\(?\[?(?:the\s+)?(?:rest|remainder)\s+of\s+(?:the\s+|this\s+|your\s+)?(?:\w+\s+)?${parts}\b.*(?:unchanged|same|omitted|as before|as is|remains?|here|${dots})`,
    'i',
  ),
  new RegExp(
    String.raw`^(?:existing|previous|remaining|other|unchanged)\s+(?:\w+\s+)?${parts}\s+(?:unchanged|omitted|remains?|stays?|here|goes here|as before|${dots})`,
    'i',
  ),
  new RegExp(
    String.raw`^[[(<]?\s*(?:${dots})?\s*(?:${parts}\s+)?(?:truncated|omitted|elided|snipped)(?:\s+for\s+brevity)?\s*(?:${dots})?\s*[\])>]?\.?$`,
    'i',
  ),
];

/** The line of an elision that the known texts do not have. */
function findElision(text: string, known: readonly string[]): { number: number; line: string } | null {
  for (const [index, line] of text.split('\n').entries()) {
    const bare = withoutComment(line);
    if (!elisions.some((elision) => elision.test(bare))) continue;
    if (!known.some((other) => other.includes(line.trim()))) return { number: index + 1, line: line.trim() };
  }
  return null;
}

function withoutComment(line: string): string {
  return line
    .trim()
    .replace(/^(?:\/\/+|\/\*+|#+|--+|<!--|;+|%+|\*+|\{\/\*|"""|''')\s*/, '')
    .replace(/\s*(?:\*\/\}?|-->|"""|''')$/, '')
    .trim();
}

interface CutOffInput {
  name: string;
  text: string;
  /** The replaced text; null when nothing is replaced. */
  replaced: string | null;
  shown: string;
}

/** Refuses a text that leaves out a part of what it should write. */
export function refuseCutOff({ name, text, replaced, shown }: CutOffInput): void {
  const elision = findElision(text, [replaced ?? '']);
  const lines = (content: string) => content.trimEnd().split('\n').length;
  const isLast = elision !== null && elision.number >= lines(text) - 1;
  const shrinks = replaced !== null && lines(text) < lines(replaced);
  if (elision && (shrinks || (replaced === null && isLast))) {
    throw new ToolError(
      'invalid_params',
      `${name} looks cut off: its line ${elision.number} is ${JSON.stringify(elision.line.slice(0, 120))}, which would be written into ${shown} in place of the text it stands for. Nothing was written. Send the whole text, or change only a part with edit.`,
    );
  }
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
