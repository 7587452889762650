import { diffFile } from '../../base/diff.js';
import { ToolError } from '../../base/errors.js';
import { applyEdits, encodeText, spliceText, type TextEdit } from '../../base/text-codec.js';
import { effectsOf, type PlannedChanges } from '../../changes/change-set.js';
import { planChanges } from '../../changes/plan.js';
import type { ConfirmationDetails } from '../tools.js';
import type { ExistingTarget, Target, TextChangeHost } from './target.js';

/** One text file before and after, made once: shown, decided on, committed. */
export interface TextPlan {
  target: Target;
  /** On the text of the target; the whole content for a new file. */
  edits: TextEdit[];
  text: string;
  bytes: Uint8Array;
  /** Null when nothing would change. */
  planned: PlannedChanges | null;
  /** What the model must know of how this came about, one paragraph each. */
  notes: string[];
}

const LARGEST_MODIFIABLE = 1_000_000;

export async function planEdits(
  host: TextChangeHost,
  target: ExistingTarget,
  edits: TextEdit[],
): Promise<TextPlan> {
  const { file } = target;
  refuseNul(edits, file.decoded.text);
  const bytes = await spliceText(file.bytes, file.decoded, edits);
  const text = applyEdits(file.decoded.text, edits);
  const path = host.workspace.show(target.realPath);
  const planned = await planChanges({
    id: host.ids.next(),
    files: [{ path: target.realPath, before: file, after: { bytes } }],
    show: (path) => host.workspace.show(path),
    // From the texts: told from the bytes alone, the two versions might be taken for different encodings.
    diff: { kind: 'diff', files: [await diffFile({ path, before: file.decoded.text, after: text, edits })] },
  });
  const unchanged = planned.changeSet.changes.length === 0;
  return { target, edits, text, bytes, planned: unchanged ? null : planned, notes: [] };
}

export async function planCreation(host: TextChangeHost, target: Target, content: string): Promise<TextPlan> {
  const edits = [{ start: 0, end: 0, text: content }];
  refuseNul(edits, '');
  const bytes = await encodeText(content);
  const planned = await planChanges({
    id: host.ids.next(),
    files: [{ path: target.realPath, before: null, after: { bytes } }],
    show: (path) => host.workspace.show(path),
  });
  return { target, edits, text: content, bytes, planned, notes: [] };
}

/** A NUL would turn the file into one that no text tool opens again. */
function refuseNul(edits: TextEdit[], text: string): void {
  if (!edits.some((edit) => edit.text.includes('\0')) || text.includes('\0')) return;
  throw new ToolError(
    'invalid_params',
    'The new text contains a NUL character. Send it without, or as an escape of the language.',
  );
}

export function confirmationOf({ target, planned, text }: TextPlan, title: string): ConfirmationDetails {
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
    ...(text.length <= LARGEST_MODIFIABLE ? { modifiable: { path: target.path, content: text } } : {}),
  };
}
