import { plural } from '@toolwright/core';
import {
  type Engine,
  type Report,
  records,
  type Submitted,
  statusOf,
  submitRows,
  type TaskRecord,
  type TaskRow,
  writeLimits,
  writeReport,
} from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { showProgress } from './progress.js';
import { limitsOf, rowsOf } from './read-rows.js';
import { slotsOf, tellEnd, workHere } from './task-agent.js';

/** `fleet run`: submits, works here until everything is done, and reports. */
export async function run(args: Arguments): Promise<number> {
  const rows = await rowsOf(args);
  const slots = slotsOf(args, 'workers');
  const signal = abortOnInterrupt();
  return withFleet(args, async (engine) => {
    const submitted = await submit(engine, rows, args);
    const progress = showProgress(engine, { args, count: () => statusOf(engine, submitted) });
    try {
      const end = await workHere(engine, args, { slots, untilEmpty: true, signal, say: progress.say });
      await progress.close();
      tellEnd(end);
    } finally {
      await progress.close();
    }
    const data = await reportOf(engine, submitted);
    await report(data, args);
    return exitCodeOf(data, signal);
  });
}

async function submit(engine: Engine, rows: readonly TaskRow[], args: Arguments): Promise<Submitted> {
  const limits = limitsOf(args);
  if (limits) await writeLimits(engine, limits);
  return submitRows(engine, rows);
}

/** `fleet submit`: puts tasks into the queue for whoever works there. */
export async function submitOnly(args: Arguments): Promise<number> {
  const rows = await rowsOf(args);
  return withFleet(args, async (engine) => {
    await submit(engine, rows, args);
    if (args.switches.has('json')) printJson({ v: 1, submitted: rows.length });
    else print(`${plural(rows.length, 'task')} submitted.`);
    return exitCodes.done;
  });
}

/** `fleet worker`: works for a fleet until it is told to end. */
export async function worker(args: Arguments): Promise<number> {
  const slots = slotsOf(args, 'slots');
  const signal = abortOnInterrupt();
  return withFleet(args, async (engine) => {
    const limits = limitsOf(args);
    if (limits) await writeLimits(engine, limits);
    warn(`Works with ${plural(slots, 'slot')}. Ctrl+C ends; running tasks go back into the queue.`);
    const end = await workHere(engine, args, {
      slots,
      untilEmpty: args.switches.has('until-empty'),
      signal,
      say: warn,
    });
    tellEnd(end);
    return end.kind === 'stopped' ? exitCodes.failure : exitCodes.done;
  });
}

async function reportOf(engine: Engine, submitted: Submitted): Promise<Report> {
  const { states, usage } = await statusOf(engine, submitted);
  const tasks: TaskRecord[] = [];
  for await (const record of records(engine, submitted)) tasks.push(record);
  tasks.sort((one, other) => (one.endedAt ?? Number.MAX_VALUE) - (other.endedAt ?? Number.MAX_VALUE));
  return { states, usage, tasks };
}

async function report(data: Report, args: Arguments): Promise<void> {
  const { states, usage, tasks } = data;
  const path = args.values.get('report');
  if (path !== undefined) await writeReport(path, data);
  if (args.switches.has('json')) printJson({ v: 1, type: 'fleet-result', states, usage });
  else printTable(tasks);
  if (path !== undefined) warn(`The report is in ${path}.md and ${path}.html.`);
  for (const sentence of leftToDo(states)) warn(sentence);
}

function leftToDo({ queued, parked }: Report['states']): string[] {
  const waits = (count: number): string => `${plural(count, 'task')} ${count === 1 ? 'waits' : 'wait'}`;
  const sentences: string[] = [];
  if (queued > 0)
    sentences.push(`${waits(queued)} in the queue. To go on: toolwright fleet worker --until-empty`);
  if (parked > 0) sentences.push(`${waits(parked)} for an answer: toolwright fleet questions`);
  return sentences;
}

const STATE_WIDTH = 10;
const MOST_ROWS = 200;

/** One line for each task: state, id, title, changes, and why it failed. */
export function printTable(tasks: readonly TaskRecord[]): void {
  for (const { task, title, state, outcome, failure } of tasks.slice(0, MOST_ROWS)) {
    const changes = outcome?.files ? ` (${outcome.summary}, +${outcome.added} -${outcome.removed})` : '';
    const why = failure && state !== 'done' ? `: ${failure.message.split('\n')[0]}` : '';
    print(`${state.padEnd(STATE_WIDTH)}${task.id}  ${title}${changes}${why}`);
  }
  if (tasks.length > MOST_ROWS) print(`… and ${tasks.length - MOST_ROWS} more`);
}

function exitCodeOf({ states, tasks }: Report, signal: AbortSignal): number {
  if (signal.aborted) return exitCodes.cancelled;
  if (tasks.some(({ failure, state }) => state === 'failed' && failure?.kind === 'auth'))
    return exitCodes.auth;
  if (states.failed + states.poison + states.queued > 0) return exitCodes.failure;
  return states.parked > 0 ? exitCodes.parked : exitCodes.done;
}
