import { wordQuestion } from '@toolwright/core';
import { type LiveQuestion, showPath } from '@toolwright/core/front-end';
import type { TaskRecord, TaskRow } from '../../wire/fleet.js';
import type { ReadTask } from './fleet-door.js';

export function rowOf(record: TaskRecord): TaskRow {
  const { task, title, state, worker, startedAt, endedAt, usage, outcome, failure, questions = [] } = record;
  const { workspace } = task;
  const ref = workspace.kind === 'git' && workspace.ref !== undefined ? ` ${workspace.ref}` : '';
  return {
    id: task.id,
    title,
    state,
    worker,
    startedAt,
    endedAt,
    place: workspace.kind === 'folder' ? workspace.path : `${workspace.url}${ref}`,
    labels: task.labels,
    tokens: usage.inputTokens + usage.outputTokens,
    cost: usage.cost,
    summary: outcome?.summary ?? '',
    added: outcome?.added ?? 0,
    removed: outcome?.removed ?? 0,
    why: state === 'done' ? '' : (failure?.message ?? ''),
    asks: state === 'parked' ? questions.flatMap(({ title: asks, answer }) => (answer ? [] : [asks])) : [],
  };
}

/** The questions that still wait, with the words of every front end. A task that is parked takes a yes or a no. */
export function questionsOf(record: TaskRecord, waiting: ReadTask['questions']): LiveQuestion[] {
  const folder = folderOf(record);
  const show = (path: string): string => (folder === '' ? path : showPath(path, folder));
  return waiting.map(({ digest, request }) => {
    const question = wordQuestion(request, { show });
    const answers = question.answers.filter(({ kind }) => kind === 'once' || kind === 'no');
    return { digest, callId: request.callId, tool: request.tool, question: { ...question, answers } };
  });
}

export function folderOf({ task, snapshot }: TaskRecord): string {
  return snapshot?.base.folder ?? (task.workspace.kind === 'folder' ? task.workspace.path : '');
}
