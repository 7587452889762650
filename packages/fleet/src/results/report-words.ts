import { formatNumber, plural } from '@toolwright/core';
import type { TaskRecord, TaskState } from '../schedule/record.js';
import { placeOf } from '../tasks/task.js';
import type { Report } from './report.js';

const order: TaskState[] = ['done', 'failed', 'poison', 'cancelled', 'parked', 'running', 'queued'];

/** States that tasks are in, with their numbers. */
export function countsOf({ states }: Pick<Report, 'states'>): [TaskState, number][] {
  return order.filter((state) => states[state] > 0).map((state) => [state, states[state]]);
}

/** `65 turns, 12,000 tokens, $0.12` */
export function usageOf({ usage }: Pick<Report, 'usage'>): string {
  const tokens = formatNumber(usage.inputTokens + usage.outputTokens);
  return `${plural(usage.turns, 'turn')}, ${tokens} tokens, $${usage.cost.toFixed(2)}`;
}

/** `2 files changed, +3 -1`; empty where nothing was changed. */
export function changesIn({ outcome }: Pick<TaskRecord, 'outcome'>): string {
  return outcome?.files ? `${outcome.summary}, +${outcome.added} -${outcome.removed}` : '';
}

export function keptAs({ kept }: Pick<TaskRecord, 'kept'>): string {
  if (!kept) return '';
  return kept.as === 'folder' ? 'in the folder' : `${kept.as} ${kept.where}`;
}

/** Why a task is not done. */
export function whyOf({ state, failure, questions = [] }: TaskRecord): string {
  if (state === 'done') return '';
  const asked = questions.find(({ answer }) => !answer);
  if (state === 'parked' && asked) return `${asked.request.description}: ${asked.request.reason}`;
  return failure?.message ?? '';
}

export const columns = ['state', 'where', 'task', 'changes', 'check', 'kept', 'time', 'why'] as const;

/** The row of a task in the table of a report. */
export function cellsOf(record: TaskRecord, directory: string): Record<(typeof columns)[number], string> {
  const { task, title, state, outcome, startedAt, endedAt } = record;
  const seconds = startedAt && endedAt ? (endedAt - startedAt) / 1_000 : null;
  return {
    state,
    where: placeOf(task, directory),
    task: title,
    changes: changesIn(record),
    check: outcome?.check ? (outcome.check.passed ? 'passed' : outcome.check.ended) : '',
    kept: keptAs(record),
    time: seconds === null ? '' : `${seconds.toFixed(1)} s`,
    why: whyOf(record),
  };
}

/** Tasks of which there is more to tell than their row. */
export function withDetails({ tasks, patches }: Report): TaskRecord[] {
  return tasks.filter(
    ({ task, outcome }) => patches.has(task.id) || outcome?.response || outcome?.leftOut.length,
  );
}
