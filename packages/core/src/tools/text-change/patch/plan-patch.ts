import type { FileDiffEntry } from '@toolwright/machine/base/content.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { deletionsFirst, type PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { type PlannedFile, planChanges } from '@toolwright/machine/changes/plan.js';
import { explainMissing } from '../../search/explain-missing.js';
import { refuseCutOff } from '../cut-off.js';
import { changedLines, lineList, snippets } from '../describe-change.js';
import { refuseUnsaved } from '../editor-text.js';
import { formatPlan } from '../format-plan.js';
import {
  type ExistingTarget,
  exists,
  loadTarget,
  planCreation,
  planEdits,
  requireSeen,
  type TextChangeNeeds,
} from '../text-plan.js';
import { locateHunks } from './locate-hunks.js';
import type { FilePatch } from './parse-patch.js';

/** The changes of a patch, made once: shown, decided on, committed. */
export interface PatchPlan {
  planned: PlannedChanges;
  /** A line for each file, for the model. */
  lines: string[];
}

interface PlannedPart {
  files: PlannedFile[];
  diff: FileDiffEntry[];
  line: string;
}

export async function planPatch(
  patches: readonly FilePatch[],
  needs: TextChangeNeeds,
  signal: AbortSignal,
): Promise<PatchPlan> {
  const parts: PlannedPart[] = [];
  for (const patch of patches) parts.push(await planFile(patch, needs, signal));
  const { host } = needs;
  const planned = await planChanges({
    id: host.ids.next(),
    files: parts.flatMap(({ files }) => files),
    show: host.workspace.show,
    diff: {
      kind: 'diff',
      files: deletionsFirst(
        parts.flatMap(({ diff }) => diff),
        ({ change }) => change === 'delete',
      ),
    },
  });
  return { planned, lines: parts.map(({ line }) => line) };
}

function planFile(patch: FilePatch, needs: TextChangeNeeds, signal: AbortSignal): Promise<PlannedPart> {
  switch (patch.kind) {
    case 'add':
      return planAdded(patch, needs, signal);
    case 'delete':
      return planDeleted(patch, needs, signal);
    case 'update':
      return planUpdated(patch, needs, signal);
  }
}

async function planAdded(
  { path, content }: Extract<FilePatch, { kind: 'add' }>,
  needs: TextChangeNeeds,
  signal: AbortSignal,
): Promise<PlannedPart> {
  const { host, seen } = needs;
  const target = await loadTarget(host, path, signal);
  const { shown, realPath } = target;
  refuseUnsaved(target, seen);
  if (exists(target))
    throw new ToolError(
      'invalid_params',
      `${shown} exists already. Change it with "*** Update File: ${path}", or delete it first. Nothing was changed.`,
    );
  refuseCutOff({ name: 'The new file', text: content, replaced: null, shown });
  const { bytes, planned, notes } = await formatPlan(
    await planCreation(host, target, content),
    needs,
    signal,
  );
  return {
    files: [{ path: realPath, before: null, after: { bytes } }],
    diff: planned?.diff.files ?? [],
    line: [`Created ${shown}.`, ...notes].join(' '),
  };
}

async function planDeleted(
  { path }: Extract<FilePatch, { kind: 'delete' }>,
  needs: TextChangeNeeds,
  signal: AbortSignal,
): Promise<PlannedPart> {
  const target = await loadExisting(path, needs, signal);
  const files: PlannedFile[] = [{ path: target.realPath, before: target.file, after: null }];
  const { diff } = await planChanges({ id: '', files, show: needs.host.workspace.show });
  return { files, diff: diff.files, line: `Deleted ${target.shown}.` };
}

async function planUpdated(
  { path, moveTo, hunks }: Extract<FilePatch, { kind: 'update' }>,
  needs: TextChangeNeeds,
  signal: AbortSignal,
): Promise<PlannedPart> {
  const { host } = needs;
  const target = await loadExisting(path, needs, signal);
  const { file, shown, realPath } = target;
  for (const { before, after } of hunks)
    refuseCutOff({
      name: 'The patch',
      text: after.join('\n'),
      replaced: before.join('\n'),
      file: () => file.decoded.text,
      shown,
    });
  const { edits, relaxed } = await locateHunks(file.decoded.text, hunks, shown);
  const plan = await formatPlan(await planEdits(host, target, edits), needs, signal);
  const { bytes, planned, excerpt } = plan;
  const overlooked = relaxed.length > 0 ? ` (found by overlooking ${relaxed.join(' and ')})` : '';
  const formatted =
    plan.notes.length > 0 ? [...plan.notes, snippets(plan)].map((note) => `\n${note}`).join('') : '';
  const where = edits.length > 0 ? `changed at ${lineList(changedLines(excerpt))}${overlooked}` : 'unchanged';
  if (moveTo === undefined)
    return {
      files: [{ path: realPath, before: file, after: { bytes } }],
      diff: planned?.diff.files ?? [],
      line: `${shown}: ${where}.${formatted}`,
    };
  const moved = await loadTarget(host, moveTo, signal);
  refuseUnsaved(moved, needs.seen);
  if (exists(moved))
    throw new ToolError('invalid_params', `${moved.shown} exists already, so ${shown} was not moved there.`);
  const files: PlannedFile[] = [
    { path: realPath, before: file, after: null },
    { path: moved.realPath, before: null, after: { bytes, mode: file.mode } },
  ];
  const { diff } = await planChanges({ id: '', files, show: host.workspace.show });
  return { files, diff: diff.files, line: `${shown}: moved to ${moved.shown}, ${where}.${formatted}` };
}

async function loadExisting(
  path: string,
  needs: TextChangeNeeds,
  signal: AbortSignal,
): Promise<ExistingTarget> {
  const { host, hidden, seen } = needs;
  const target = await loadTarget(host, path, signal);
  if (exists(target)) {
    requireSeen(target, seen);
    return target;
  }
  const missing = await explainMissing(host, target.path, { hidden, signal });
  throw new ToolError('not_found', `${missing} Nothing was changed.`);
}
