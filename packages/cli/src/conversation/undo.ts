import { latestToUndo, type PastChange, pastChanges, summarize, type Toolbox } from '@toolwright/core';
import { safe, safeDiff } from '../app/safe-text.js';
import type { NewBlock } from '../app/state.js';

export interface UndoReport {
  blocks: NewBlock[];
  /** What the model has to know, when something was undone. */
  forModel: string | null;
}

/** Takes back the latest change of this workspace, or the one named; `list` shows what there is to name. */
export async function undo(toolbox: Toolbox, id: string, signal: AbortSignal): Promise<UndoReport> {
  const changes = await pastChanges(toolbox.state, toolbox.host.workspace.directory, signal);
  if (/^(?:--)?list$/.test(id)) return said(await listed(toolbox, changes), 'plain');
  const planUndo = (changeSet: PastChange['changeSet']) => toolbox.changes.planUndo(changeSet, signal);
  const latest = id === '' ? await latestToUndo(changes, planUndo) : undefined;
  const found = latest ? [latest.change] : id === '' ? [] : named(changes, id);
  const [change] = found;
  if (!change || found.length > 1) return said(problemOf(id, found.length), 'warning');
  const plan = latest?.plan ?? (await planUndo(change.changeSet));
  if (plan.kind === 'nothing') return said(`Already undone: ${summarize(change.changeSet)}.`, 'plain');
  if (plan.kind === 'refused') {
    const { blocks } = said(plan.reason, 'bad');
    return { blocks: [...blocks, { kind: 'diff', diff: safeDiff(plan.diff) }], forModel: null };
  }
  const committed = await toolbox.undo(plan.planned, change.changeSet.id, signal);
  const paths = plan.planned.diff.files.map(({ path }) => path).join(', ');
  return {
    blocks: [
      { kind: 'diff', diff: safeDiff(plan.planned.diff) },
      ...said(`Undone. To take the undo back: /undo ${committed.id}`, 'good').blocks,
      ...(change.call?.wroteOutside ? said(await stays(change.call.wroteOutside), 'warning').blocks : []),
    ],
    forModel: `The user has undone an earlier change; these files are as they were before it: ${paths}.`,
  };
}

async function listed({ host }: Toolbox, changes: readonly PastChange[]): Promise<string> {
  const { changeLines } = await import('../commands/undo-list.js');
  return (
    changeLines(changes, host.workspace.show).trimEnd() || 'No changes have been made in this workspace.'
  );
}

async function stays(paths: readonly string[]): Promise<string> {
  const { staysOutside } = await import('../commands/undo-list.js');
  return staysOutside(paths);
}

function named(changes: readonly PastChange[], id: string): PastChange[] {
  return changes.filter(({ changeSet, call }) => changeSet.id.startsWith(id) || call?.callId.startsWith(id));
}

function problemOf(id: string, count: number): string {
  if (id === '') return 'There is nothing to undo in this workspace.';
  return count === 0
    ? `There is no change ${id} in this workspace; /undo list shows them.`
    : `${id} is the beginning of ${count} ids; /undo list shows them.`;
}

function said(text: string, tone: 'plain' | 'good' | 'warning' | 'bad'): UndoReport {
  return { blocks: [{ kind: 'said', text: safe(text), tone }], forModel: null };
}
