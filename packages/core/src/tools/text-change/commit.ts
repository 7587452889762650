import { diffFile } from '@toolwright/machine/base/diff.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import { mergeTexts } from '@toolwright/machine/base/merge.js';
import type { TextEdit } from '@toolwright/machine/base/text-codec.js';
import { head } from '@toolwright/machine/base/truncate.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { SeenFiles } from '@toolwright/machine/changes/seen-files.js';
import type { IsHidden } from '../search/place.js';
import {
  type ExistingTarget,
  exists,
  loadTarget,
  planEdits,
  type Target,
  type TextChangeHost,
  type TextPlan,
} from './plan.js';

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

export interface CommittedText {
  plan: TextPlan;
  /** Absent when someone else had made the same change by then. */
  changeSet?: string;
}

/** Enough for this many processes that change one file at once. */
const ATTEMPTS = 100;

/** Edits of the same call in another version of the text; null where they can't be told. */
export type Reapply = (text: string) => Promise<TextEdit[] | null>;

export interface CommitPlanOptions {
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
