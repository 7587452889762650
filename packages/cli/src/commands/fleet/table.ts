import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formatDuration, messageOf, plural } from '@toolwright/core/front-end';
import {
  changesIn,
  countsOf,
  type Engine,
  findRecord,
  placeOf,
  type Report,
  readReport,
  type Submitted,
  type TaskRecord,
  type TaskState,
  usageOf,
  whyOf,
  writeReport,
} from '@toolwright/fleet';
import { columnsOf } from '../../base/columns.js';
import { UsageError } from '../../base/exit-codes.js';
import { print, printJson, printLine, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { line, textOfLine, wrap } from '../../ui/render/line.js';
import { sameFleet } from './engine-flags.js';

const STATE_WIDTH = 10;
const MOST_ROWS = 200;
const INDENT = '  ';

/** Prints a line for each task; those that need somebody are nearest to the next prompt. */
export function printTable({ tasks, more, directory }: Report): void {
  if (more > 0) print(`… and ${more} more`);
  for (const record of [...tasks].reverse()) printTask(record, directory);
}

export function printTask(record: TaskRecord, directory: string): void {
  printRow(rowOf(record, directory));
}

const lastOf: readonly TaskState[] = ['done', 'cancelled', 'queued', 'running', 'parked', 'poison', 'failed'];

/** Those that need somebody come last; only their ids are held in memory. */
export async function* inOrder(engine: Engine, tasks: AsyncIterable<TaskRecord>): AsyncGenerator<TaskRecord> {
  const found: { id: string; rank: number; at: number }[] = [];
  for await (const { task, state, endedAt = 0 } of tasks)
    found.push({ id: task.id, rank: lastOf.indexOf(state), at: endedAt });
  found.sort((one, other) => one.rank - other.rank || other.at - one.at || (one.id < other.id ? 1 : -1));
  for (const { id } of found) {
    const record = await findRecord(engine, id);
    if (record) yield record;
  }
}

/** Broken between words on a terminal; one line for each task on a pipe. */
function printRow(text: string): void {
  const width = process.stdout.isTTY ? columnsOf(process.stdout) - INDENT.length : Infinity;
  const rows = wrap(line(text), width);
  for (const [index, row] of rows.entries()) printLine(`${index === 0 ? '' : INDENT}${textOfLine(row)}`);
}

function rowOf(record: TaskRecord, directory: string): string {
  const { task, title, state } = record;
  const changes = changesIn(record);
  const why = whyOf(record).split('\n')[0];
  return [
    `${state.padEnd(STATE_WIDTH)}${task.id}  ${placeOf(task, directory)}  ${title}`,
    changes && ` (${changes})`,
    why && `: ${why}`,
  ].join('');
}

/** `2 done, 1 failed`; empty where there are no tasks. */
export function countsInWords(report: Pick<Report, 'states'>): string {
  return countsOf(report)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

interface Reporting {
  submitted: Submitted;
  /** The beginning of the work, by the clock of `performance`. */
  sinceMs: number;
}

/** Prints the outcome of tasks: a table, or one object with --json; with --report also as files. */
export async function report(
  engine: Engine,
  args: Arguments,
  { submitted, sinceMs }: Reporting,
): Promise<Pick<Report, 'states' | 'tasks'>> {
  const directory = process.cwd();
  const table = await readReport(engine, { directory, submitted, patches: false, most: MOST_ROWS });
  const { states, usage, tasks } = table;
  if (args.switches.has('json')) printJson({ v: 1, type: 'fleet-result', states, usage });
  else {
    printTable(table);
    const time = formatDuration(performance.now() - sinceMs);
    print(`${countsInWords(table)} in ${time} · ${usageOf(table)}`);
  }
  if (args.values.has('report')) await writeReportOf(engine, args, submitted);
  for (const sentence of nextSteps({ states, tasks }, args)) warn(sentence);
  return { states, tasks };
}

/** Writes the files of --report. */
export async function writeReportOf(
  engine: Engine,
  { values }: Arguments,
  submitted?: Submitted,
): Promise<void> {
  const path = resolve(values.get('report')!);
  await writeReport(path, await readReport(engine, { directory: process.cwd(), submitted }));
  warn(`The report is in ${values.get('report')}.md and .html.`);
}

/** Before hours of work, not after them. */
export async function requireReportFolder({ values }: Arguments): Promise<void> {
  const path = values.get('report');
  if (path === undefined) return;
  const folder = dirname(resolve(path));
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--report ${path}: ${folder} can't be written to (${messageOf(error)}).`);
  }
}

/** What to type next, of the fleet that was worked on. */
export function nextSteps({ states, tasks }: Pick<Report, 'states' | 'tasks'>, args: Arguments): string[] {
  const fleet = (words: string): string => `toolwright fleet ${words}${sameFleet(args)}`;
  const waits = (count: number): string => `${plural(count, 'task')} ${count === 1 ? 'waits' : 'wait'}`;
  const uncollected = tasks.some(({ state, outcome, kept }) => state === 'done' && outcome?.files && !kept);
  return [
    states.queued > 0 && `${waits(states.queued)} in the queue: ${fleet('worker --until-empty')}`,
    states.parked > 0 && `${waits(states.parked)} for an answer: ${fleet('questions')}`,
    states.failed > 0 && `To try failed tasks again: ${fleet('retry --failed')}`,
    uncollected && `To keep what was done: ${fleet('collect --review')}`,
  ].filter((sentence) => sentence !== false && sentence !== undefined) as string[];
}
