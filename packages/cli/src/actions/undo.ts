import { type PastChange, pastChanges, type Toolbox } from '@toolwright/core';
import { latestToUndo, summarize } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import { type Prefix, type ReportItem, textItem } from './report.js';
import { staysOutside } from './undo-list.js';

export interface UndoOptions {
  prefix: Prefix;
  signal: AbortSignal;
}

export interface UndoResult {
  state: 'nothing' | 'refused' | 'undone';
  report: ReportItem[];
  /** Files that are as they were before the change. */
  paths: string[];
}

/** Changes of the workspace itself, and of the view where this session has one. */
export async function changesHere(
  { state, host, apart: { id } }: Toolbox,
  signal: AbortSignal,
): Promise<PastChange[]> {
  const changes = await pastChanges(state, host.workspace.directory, signal);
  return changes.filter(({ apart = id }) => apart === id);
}

/** Takes back the latest change of the workspace, or the one that an id names. */
export async function undo(toolbox: Toolbox, id: string, options: UndoOptions): Promise<UndoResult> {
  const changes = await changesHere(toolbox, options.signal);
  if (id !== '') return undoChange(toolbox, changeNamed(changes, id, options), options);
  const latest = await latestToUndo(changes, (change) => toolbox.planUndo(change, options.signal));
  return latest
    ? carryOut(toolbox, latest, options)
    : nothing(textItem('There is nothing to undo in this workspace.', 'warning'));
}

export async function undoChange(
  toolbox: Toolbox,
  change: PastChange,
  options: UndoOptions,
): Promise<UndoResult> {
  const plan = await toolbox.planUndo(change, options.signal);
  return carryOut(toolbox, { change, plan }, options);
}

/** The id is that of the change or of its call, or the beginning of one. */
export function changeNamed(
  changes: readonly PastChange[],
  id: string,
  { prefix }: Pick<UndoOptions, 'prefix'>,
): PastChange {
  const found = changes.filter(
    ({ changeSet, call }) => changeSet.id.startsWith(id) || call?.callId.startsWith(id),
  );
  if (found.length === 1) return found[0]!;
  const problem =
    found.length === 0
      ? `There is no change ${id} in this workspace.`
      : `${found.length} ids begin with ${id}.`;
  throw new UsageError(`${problem} ${prefix}undo ${prefix === '/' ? 'list' : '--list'} shows them.`);
}

type PlannedUndo = NonNullable<Awaited<ReturnType<typeof latestToUndo>>>;

async function carryOut(
  toolbox: Toolbox,
  { change, plan }: PlannedUndo,
  { prefix, signal }: UndoOptions,
): Promise<UndoResult> {
  const summary = summarize(change.changeSet);
  if (plan.kind === 'nothing') return nothing(textItem(`Already undone: ${summary}.`));
  if (plan.kind === 'refused') {
    const report = [
      textItem(plan.reason, 'bad'),
      { kind: 'diff' as const, diff: plan.diff, tone: 'bad' as const },
    ];
    return { state: 'refused', report, paths: [] };
  }
  const { diff } = plan.planned;
  const { id } = await toolbox.undo(plan.planned, change.changeSet.id, signal);
  const outside = change.call?.wroteOutside;
  return {
    state: 'undone',
    report: [
      { kind: 'diff', diff, tone: 'plain' },
      textItem(`Undone: ${summary}. To redo it: ${prefix}undo ${id}`, 'good'),
      ...(outside ? [textItem(staysOutside(outside), 'warning')] : []),
    ],
    paths: diff.files.map(({ path }) => path),
  };
}

function nothing(item: ReportItem): UndoResult {
  return { state: 'nothing', report: [item], paths: [] };
}
