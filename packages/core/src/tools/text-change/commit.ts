import { diffFile } from '../../base/diff.js';
import { isToolError, ToolError } from '../../base/errors.js';
import { mergeTexts } from '../../base/merge.js';
import type { TextEdit } from '../../base/text-codec.js';
import { head } from '../../base/truncate.js';
import type { PlannedChanges } from '../../changes/change-set.js';
import type { SeenFiles } from '../../changes/seen-files.js';
import type { IsHidden } from '../search/place.js';
import { planEdits, type TextPlan } from './plan.js';
import { type ExistingTarget, exists, loadTarget, type TextChangeHost } from './target.js';

/** What a tool that changes text files stands on. */
export interface TextChangeOptions {
  /** Carries out a planned change if every file is still as planned; gives the id of the change set. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<string>;
  /** What the model has seen; without it a change needs no reading before. */
  seen?: SeenFiles | undefined;
  /** Names that must not be told. */
  hidden?: IsHidden | undefined;
  /** Whether a text holds what the model is never shown. */
  holdsSecret?: ((text: string) => boolean) | undefined;
}

export interface TextChangeParts extends TextChangeOptions {
  host: TextChangeHost;
}

export interface CommittedText {
  plan: TextPlan;
  /** Absent when someone else had made the same change by then. */
  changeSet?: string;
}

const ATTEMPTS = 4;

/** Commits the plan; where someone else was faster in another part of the file, both changes are brought together. */
export async function commitPlan(
  first: TextPlan & { planned: PlannedChanges },
  parts: TextChangeParts,
  signal: AbortSignal,
): Promise<CommittedText> {
  let plan = first;
  for (let attempt = 1; ; attempt++) {
    try {
      const changeSet = await parts.commit(plan.planned, signal);
      parts.seen?.saw(plan.target.realPath, { hash: hashAfter(plan.planned), bytes: plan.bytes });
      return { plan, changeSet };
    } catch (error) {
      if (!isToolError(error) || error.code !== 'conflict' || attempt === ATTEMPTS) throw error;
      const merged = await mergeWithPresent(plan, parts, signal);
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

async function mergeWithPresent(
  plan: TextPlan,
  { host, seen }: TextChangeParts,
  signal: AbortSignal,
): Promise<TextPlan | null> {
  const present = await loadTarget(host, plan.target.path, signal);
  // A link may lead elsewhere by now, to a file that nobody was asked about.
  if (present.realPath !== plan.target.realPath) return null;
  if (!exists(present) || !exists(plan.target) || present.file.hash === plan.target.file.hash) return null;
  const base = plan.target.file.decoded.text;
  const edits = await mergedEdits(present, { base, ours: plan.text() }, seen);
  const again = await planEdits(host, present, edits);
  return { ...again, notes: [...plan.notes, await noteOfMerge(present, base)] };
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
