import { plural } from '@toolwright/core';
import {
  type Engine,
  records,
  statusOf,
  submitRows,
  type TaskRecord,
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
    const first = await submit(engine, rows, args);
    const progress = showProgress(engine, args);
    try {
      const end = await workHere(engine, args, { slots, untilEmpty: true, signal, say: progress.say });
      await progress.close();
      tellEnd(end);
    } finally {
      await progress.close();
    }
    const tasks = await tasksSince(engine, first);
    await report(engine, tasks, args);
    return exitCodeOf(tasks, signal);
  });
}

async function submit(
  engine: Engine,
  rows: Awaited<ReturnType<typeof rowsOf>>,
  args: Arguments,
): Promise<string> {
  const limits = limitsOf(args);
  if (limits) await writeLimits(engine, limits);
  return (await submitRows(engine, rows)).first;
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
    warn(`Works with ${plural(slots, 'slot')}. Ctrl+C ends; tasks that run go back into the queue.`);
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

async function tasksSince(engine: Engine, first: string): Promise<TaskRecord[]> {
  const found: TaskRecord[] = [];
  for await (const record of records(engine)) if (record.task.id >= first) found.push(record);
  return found.sort((one, other) => (one.endedAt ?? Number.MAX_VALUE) - (other.endedAt ?? Number.MAX_VALUE));
}

async function report(engine: Engine, tasks: TaskRecord[], args: Arguments): Promise<void> {
  const { states, usage } = await statusOf(engine);
  const data = { states, usage, tasks };
  const path = args.values.get('report');
  if (path !== undefined) {
    await writeReport(path, data);
  }
  if (args.switches.has('json')) printJson({ v: 1, type: 'fleet-result', states, usage });
  else printTable(tasks);
  if (path !== undefined) warn(`The report is in ${path}.md and ${path}.html.`);
  if (states.parked > 0)
    warn(
      `${plural(states.parked, 'task')} ${states.parked === 1 ? 'waits' : 'wait'} for an answer: toolwright fleet questions`,
    );
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

function exitCodeOf(tasks: readonly TaskRecord[], signal: AbortSignal): number {
  if (signal.aborted) return exitCodes.cancelled;
  if (tasks.some(({ failure, state }) => state === 'failed' && failure?.kind === 'auth'))
    return exitCodes.auth;
  if (tasks.some(({ state }) => state === 'failed' || state === 'poison' || state === 'queued'))
    return exitCodes.failure;
  return tasks.some(({ state }) => state === 'parked') ? exitCodes.parked : exitCodes.done;
}
