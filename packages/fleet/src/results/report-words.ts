import { formatDuration, formatNumber, plural } from '@toolwright/core/front-end';
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

function keptAs({ kept }: Pick<TaskRecord, 'kept'>): string {
  if (!kept) return '';
  return kept.as === 'folder' ? 'in the folder' : `${kept.as} ${kept.where}`;
}

/** From its first beginning to its end, with the time in which it waited; empty where it has not ended. */
export function timeOf({ startedAt, endedAt }: Pick<TaskRecord, 'startedAt' | 'endedAt'>): string {
  return startedAt && endedAt ? formatDuration(endedAt - startedAt) : '';
}

/** Why a task is not done. */
export function whyOf({ state, failure, questions = [] }: TaskRecord): string {
  if (state === 'done') return '';
  const asked = questions.find(({ answer }) => !answer);
  if (state === 'parked' && asked) return `${asked.description}: ${asked.reason}`;
  return failure?.message ?? '';
}

/** A report in words, for every format. */
export interface WordedReport {
  counts: [TaskState, number][];
  usage: string;
  /** Columns in which a row has something. */
  columns: readonly ReportColumn[];
  rows: ReportRow[];
  /** The number of tasks without a row. */
  more: number;
  details: TaskDetails[];
}

export interface ReportRow {
  id: string;
  state: TaskState;
  cells: ReportCells;
}

/** The part of a report about one task beyond its row. */
export interface TaskDetails {
  id: string;
  state: TaskState;
  heading: string;
  /** Sentences about the changes and where they were kept. */
  facts: string[];
  why: string;
  leftOut: readonly string[];
  /** The last answer of the model, and the output of a check that failed. */
  texts: string[];
  patch: string;
}

export function wordReport(report: Report): WordedReport {
  const { tasks, more, directory } = report;
  const rows = tasks.map((record) => ({
    id: record.task.id,
    state: record.state,
    cells: cellsOf(record, directory),
  }));
  return {
    counts: countsOf(report),
    usage: usageOf(report),
    columns: columns.filter((name) => rows.some(({ cells }) => cells[name] !== '')),
    rows,
    more,
    details: withDetails(report).map((record) => detailsOf(record, report)),
  };
}

const columns = ['state', 'where', 'task', 'changes', 'check', 'kept', 'time', 'why'] as const;

export type ReportColumn = (typeof columns)[number];
export type ReportCells = Record<ReportColumn, string>;

function cellsOf(record: TaskRecord, directory: string): ReportCells {
  const { task, title, state, outcome } = record;
  return {
    state,
    where: placeOf(task, directory),
    task: title,
    changes: changesIn(record),
    check: outcome?.check ? (outcome.check.passed ? 'passed' : outcome.check.ended) : '',
    kept: keptAs(record),
    time: timeOf(record),
    why: whyOf(record),
  };
}

function detailsOf(record: TaskRecord, { patches, directory }: Report): TaskDetails {
  const { task, title, outcome, state } = record;
  const { response, leftOut = [], check } = outcome ?? {};
  const output = check && !check.passed ? check.output : '';
  return {
    id: task.id,
    state,
    heading: `${placeOf(task, directory)}: ${title}`,
    facts: [changesIn(record), keptAs(record)].filter(Boolean),
    why: whyOf(record),
    leftOut,
    texts: [response, output].filter((text) => text?.trim()).map((text) => text!.trim()),
    patch: patches.get(task.id)?.trim() ?? '',
  };
}

/** Tasks of which there is more to tell than their row. */
function withDetails({ tasks, patches }: Report): TaskRecord[] {
  return tasks.filter(
    ({ task, outcome }) => patches.has(task.id) || outcome?.response || outcome?.leftOut.length,
  );
}
