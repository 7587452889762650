import { diffFile } from '@toolwright/machine/base/diff.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { ExactExcerpt } from '@toolwright/machine/base/replace/exact-excerpt.js';
import { rewriteText } from '@toolwright/machine/base/replace/rewrite.js';
import { applyEdits, encodeText, spliceText, type TextEdit } from '@toolwright/machine/base/text-codec.js';
import { effectsOf, type PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { planChanges } from '@toolwright/machine/changes/plan.js';
import type { ConfirmationDetails } from '../tools.js';
import { type ExistingTarget, exists, inPlaceNote, type Target, type TextChangeHost } from './target.js';

/** One text file before and after, made once: shown, decided on, committed. */
export interface TextPlan {
  target: Target;
  excerpt: Excerpt;
  /** The whole text afterwards. */
  text(): string;
  bytes: Uint8Array;
  /** Null when nothing would change. */
  planned: PlannedChanges | null;
  /** What the model must know of how this came about, one paragraph each. */
  notes: string[];
  /** The text is the user's, not the one the model proposed. */
  writtenByUser?: true;
}

const LARGEST_MODIFIABLE = 1_000_000;

/** The text before, or the part of it around the change, and what happens to it. */
export interface Excerpt {
  text: string;
  edits: TextEdit[];
  /** Lines of the file that stand before it. */
  linesBefore: number;
}

export async function planEdits(
  host: TextChangeHost,
  target: ExistingTarget,
  edits: TextEdit[],
): Promise<TextPlan> {
  const { file } = target;
  const { text } = file.decoded;
  refuseNul(edits, text);
  const bytes = await spliceText(file.bytes, file.decoded, edits);
  const planned = await planModified(host, target, { excerpt: { text, edits, linesBefore: 0 }, bytes });
  return { ...planned, text: () => applyEdits(text, edits) };
}

/** The same for a file of valid UTF-8 of which only a part was looked at. */
export async function planPart(
  host: TextChangeHost,
  target: ExistingTarget,
  { part, edits }: { part: ExactExcerpt; edits: TextEdit[] },
): Promise<TextPlan> {
  const { file } = target;
  const { start, end, text, linesBefore } = part;
  refuseNul(edits, text);
  const decoded = { ...plainUtf8, text };
  const bytes = Buffer.concat([
    file.bytes.subarray(0, start),
    await spliceText(file.bytes.subarray(start, end), decoded, edits),
    file.bytes.subarray(end),
  ]);
  const planned = await planModified(host, target, { excerpt: { text, edits, linesBefore }, bytes });
  return { ...planned, text: () => bytes.toString('utf8', file.decoded.bomLength) };
}

const plainUtf8 = { encoding: 'utf-8', bomLength: 0, exact: true, odd: [] };

async function planModified(
  host: TextChangeHost,
  target: ExistingTarget,
  { excerpt, bytes }: Pick<TextPlan, 'excerpt' | 'bytes'>,
): Promise<Omit<TextPlan, 'text'>> {
  const { text: before, edits, linesBefore } = excerpt;
  const path = host.workspace.show(target.realPath);
  const after = applyEdits(before, edits);
  const planned = await planChanges({
    id: host.ids.next(),
    files: [{ path: target.realPath, before: target.file, after: { bytes } }],
    show: host.workspace.show,
    // From the texts: told from the bytes alone, the two versions might be taken for different encodings.
    diff: {
      kind: 'diff',
      files: [await diffFile({ path, before, after, edits, linesBefore })],
    },
  });
  const unchanged = planned.changeSet.changes.length === 0;
  return { target, excerpt, bytes, planned: unchanged ? null : planned, notes: [] };
}

export async function planCreation(host: TextChangeHost, target: Target, content: string): Promise<TextPlan> {
  const edits = [{ start: 0, end: 0, text: content }];
  refuseNul(edits, '');
  const bytes = await encodeText(content);
  const planned = await planChanges({
    id: host.ids.next(),
    files: [{ path: target.realPath, before: null, after: { bytes } }],
    show: host.workspace.show,
  });
  const excerpt = { text: '', edits, linesBefore: 0 };
  return { target, excerpt, text: () => content, bytes, planned, notes: [] };
}

/** The whole file as the user wrote it in place of a proposal, from the version that the proposal was made from. */
export async function planWritten(host: TextChangeHost, target: Target, content: string): Promise<TextPlan> {
  const plan = exists(target)
    ? await planEdits(host, target, await rewriteText(target.file.decoded, content))
    : await planCreation(host, target, content);
  return { ...plan, writtenByUser: true };
}

/** A NUL would turn the file into one that no text tool opens again. */
function refuseNul(edits: TextEdit[], text: string): void {
  if (!edits.some((edit) => edit.text.includes('\0')) || text.includes('\0')) return;
  throw new ToolError(
    'invalid_params',
    'The new text contains a NUL character. Send it without, or as an escape of the language.',
  );
}

/** No encoding takes more bytes for one unit of a string. */
const MOST_BYTES_EACH = 4;

export function confirmationOf(plan: TextPlan, title: string): ConfirmationDetails {
  const { target, planned } = plan;
  if (!planned) return { kind: 'edit', title, diff: { kind: 'diff', files: [] }, effects: [] };
  const effects = effectsOf(planned.changeSet);
  // A rule may name the link as well as the file behind it.
  if (target.path !== target.realPath) {
    effects.push({ kind: 'write', path: target.path }, { kind: 'read', path: target.realPath });
  }
  return {
    kind: 'edit',
    title,
    diff: planned.diff,
    effects,
    ...(target.inPlace === null ? {} : { warnings: inPlaceNote(target) }),
    ...modifiable(plan),
  };
}

function modifiable({ target, bytes, text }: TextPlan): Pick<EditDetails, 'modifiable'> {
  if (bytes.byteLength > LARGEST_MODIFIABLE * MOST_BYTES_EACH) return {};
  const content = text();
  return content.length <= LARGEST_MODIFIABLE ? { modifiable: { path: target.path, content } } : {};
}

type EditDetails = Extract<ConfirmationDetails, { kind: 'edit' }>;
