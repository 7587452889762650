import { plural } from '@toolwright/machine/base/amounts.js';
import { splitLines } from '@toolwright/machine/base/diff.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { applyEdits, type TextEdit } from '@toolwright/machine/base/text-codec.js';
import { refuseCutOff } from './cut-off.js';
import { changedLines, lineList } from './describe-change.js';
import { composeEdits } from './replace/compose-edits.js';
import { describeNearMiss, diagnose } from './replace/diagnosis.js';
import { findExactExcerpt, type ReplaceOutcome, replaceText } from './replace/replace.js';
import {
  changesSince,
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

export interface Replacement {
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
  refuseCutOff({
    name: 'new_string',
    text: newText,
    replaced: oldText,
    file: () => file.decoded.text,
    shown,
  });
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

/** Several replacements, each in the text that those before it leave; all of them or none. */
export async function planReplacements(
  target: ExistingTarget,
  replacements: readonly Replacement[],
  needs: TextChangeNeeds,
): Promise<TextPlan> {
  const version = requireSeen(target, needs.seen);
  const [older, read] = [await olderText(target, version), await readText(target, version)];
  const original = target.file.decoded.text;
  let text = original;
  let edits: TextEdit[] = [];
  const notes: string[] = [];
  for (const [index, replacement] of replacements.entries()) {
    const decoded = { ...target.file.decoded, text };
    const asked = { ...replacement, target: { ...target, file: { ...target.file, decoded } }, older, read };
    const found = await findOne(asked, needs).catch((error: unknown) => {
      if (!isToolError(error)) throw error;
      const which = `Edit ${index + 1} of ${replacements.length}: ${error.message} None of the edits was made.`;
      throw new ToolError(error.code, which, { cause: error });
    });
    edits = composeEdits(original.length, edits, found.edits);
    text = applyEdits(text, found.edits);
    notes.push(...found.notes.map((note) => `Edit ${index + 1}: ${note}`));
  }
  const plan = await planEdits(needs.host, target, edits);
  if (older !== null) notes.push(await noteOfMerge(target, older));
  return { ...plan, notes };
}

/** Finds the place of one of several replacements; no edits where the text is already as wanted. */
async function findOne(
  asked: Asked,
  needs: TextChangeNeeds,
): Promise<{ edits: TextEdit[]; notes: string[] }> {
  const { target, oldText, newText, replaceAll } = asked;
  const { text } = target.file.decoded;
  refuseCutOff({
    name: 'new_string',
    text: newText,
    replaced: oldText,
    file: () => text,
    shown: target.shown,
  });
  const outcome = await replaceText({ text, oldText, newText, replaceAll });
  switch (outcome.kind) {
    case 'replaced':
      return { edits: outcome.edits, notes: relaxedNote(outcome) };
    case 'unchanged':
      return { edits: [], notes: [`${target.shown} already has this text at ${lineList(outcome.lines)}.`] };
    case 'several':
      throw ambiguous(target, outcome, replaceAll);
    case 'missing':
      return { edits: [], notes: (await explainMiss(asked, needs)).notes };
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
  found: Replaced,
  { host }: TextChangeNeeds,
): Promise<TextPlan> {
  const plan = await planEdits(host, target, found.edits);
  plan.notes.push(...relaxedNote(found));
  if (older !== null) plan.notes.push(await noteOfMerge(target, older));
  return plan;
}

function relaxedNote({ relaxed }: Replaced): string[] {
  if (relaxed.length === 0) return [];
  return [
    `old_string was found by overlooking ${relaxed.join(' and ')}; unchanged text keeps the file's own.`,
  ];
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
        `${shown} has changed since you last saw it, in the very part that old_string matches. Nothing was written. What changed:\n${changes}\nRepeat the edit with the text as it is now.`,
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
  return line === undefined ? '' : `, and new_string is already in its place at line ${line}`;
}

function perhapsDone({ standsAt }: { standsAt?: number }): string {
  return standsAt === undefined
    ? ''
    : `new_string is at line ${standsAt}; if that is the place you mean, nothing is left to do. `;
}

function unchangedPlan(target: ExistingTarget, note: string): TextPlan {
  const { bytes, decoded } = target.file;
  const excerpt = { text: '', edits: [], linesBefore: 0 };
  return { target, excerpt, text: () => decoded.text, bytes, planned: null, notes: [note] };
}

function miscount(expected: number, lines: number[], shown: string): ToolError {
  return new ToolError(
    'invalid_params',
    `expected_replacements is ${expected}, but old_string matches ${plural(lines.length, 'place')} in ${shown}: ${lineList(lines)}. Nothing was changed.`,
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
    `old_string matches ${plural(lines.length, 'place')} in ${shown}${how}; nothing was changed.\n${[...listed, ...more].join('\n')}\n${remedy}`,
  );
}
