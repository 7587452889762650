import { type PastChange, pastChanges, type Toolbox } from '@toolwright/core';
import { showPath, summarize } from '@toolwright/core/front-end';
import type { ChangeRow, ChangeView, UndoView } from '../../wire/wire.js';
import type { WebNeeds } from '../needs.js';
import { NotFound } from '../sessions/session-index.js';

/** The changes of the workspace, the newest first. */
export async function listChanges({ state, workspace }: WebNeeds, signal: AbortSignal): Promise<ChangeRow[]> {
  const changes = await pastChanges(state, workspace, signal);
  return changes.map((change) => rowOf(change, workspace)).reverse();
}

const MOST_FILES = 40;

function rowOf(change: PastChange, workspace: string): ChangeRow {
  const { changeSet, sessionId, at, call, by, undoes, undoneBy, apart } = change;
  const { changes, directories, removedDirectories } = changeSet;
  const places = [...changes, ...directories, ...removedDirectories];
  return {
    id: changeSet.id,
    at,
    session: sessionId,
    summary: summarize(changeSet),
    files: places.slice(0, MOST_FILES).map(({ path }) => showPath(path, workspace)),
    by: by ?? (undoes ? 'undo' : (call?.tool ?? 'a call that was interrupted')),
    callId: call?.callId,
    command: call?.command,
    undoes,
    undoneBy,
    apart,
  };
}

async function changeNamed(needs: WebNeeds, id: string, signal: AbortSignal): Promise<PastChange> {
  const changes = await pastChanges(needs.state, needs.workspace, signal);
  const found = changes.find(({ changeSet }) => changeSet.id === id);
  if (!found) throw new NotFound(`There is no change ${id} in this workspace.`);
  return found;
}

const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

function pictureType(path: string): string | undefined {
  return pictures[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

export async function readChange(needs: WebNeeds, id: string, signal: AbortSignal): Promise<ChangeView> {
  const change = await changeNamed(needs, id, signal);
  return withTools(needs, {}, async (toolbox) => {
    const { diff } = await toolbox.showChange(change.changeSet, signal);
    const { show } = toolbox.host.workspace;
    const images = change.changeSet.changes.filter(({ path }) => pictureType(path));
    return {
      row: rowOf(change, needs.workspace),
      diff,
      images: Object.fromEntries(images.map(({ path }) => [show(path), path])),
      undo: await undoState(change, toolbox, signal),
    };
  });
}

async function undoState(
  change: PastChange,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<ChangeView['undo']> {
  if (change.apart)
    return {
      state: 'refused',
      reason: 'It was made apart: review that work, or undo it in its conversation.',
    };
  const plan = await toolbox.planUndo(change, signal);
  switch (plan.kind) {
    case 'ready':
      return { state: 'ready', reason: '' };
    case 'nothing':
      return { state: 'nothing', reason: 'Everything is as it was before this change already.' };
    case 'refused':
      return { state: 'refused', reason: plan.reason, diff: plan.diff };
  }
}

export async function readImage(
  needs: WebNeeds,
  { id, path, side }: { id: string; path: string; side: 'before' | 'after' },
  signal: AbortSignal,
): Promise<{ base64: string; type: string } | null> {
  const type = pictureType(path);
  if (!type) return null;
  const { changeSet } = await changeNamed(needs, id, signal);
  return withTools(needs, {}, async (toolbox) => {
    const { version } = await toolbox.showChange(changeSet, signal);
    const bytes = await version(path, side);
    return bytes && { base64: Buffer.from(bytes).toString('base64'), type };
  });
}

/** Takes a change back. An undo is a change too: taking it back is the redo. */
export async function undoChange(needs: WebNeeds, id: string, signal: AbortSignal): Promise<UndoView> {
  const change = await changeNamed(needs, id, signal);
  return withTools(needs, { changes: true }, async (toolbox) => {
    const state = await undoState(change, toolbox, signal);
    if (state.state !== 'ready') return { state: state.state, text: state.reason, diff: state.diff };
    const plan = await toolbox.planUndo(change, signal);
    if (plan.kind !== 'ready') return { state: 'nothing', text: 'There is nothing left to undo.' };
    const { id: made } = await toolbox.undo(plan.planned, id, signal);
    return {
      state: 'undone',
      text: `Undone: ${summarize(change.changeSet)}.`,
      diff: plan.planned.diff,
      id: made,
    };
  });
}

export async function withTools<Result>(
  needs: WebNeeds,
  options: Parameters<WebNeeds['openToolbox']>[0],
  work: (toolbox: Toolbox) => Promise<Result>,
): Promise<Result> {
  const toolbox = await needs.openToolbox(options);
  try {
    return await work(toolbox);
  } finally {
    await toolbox.close();
  }
}
