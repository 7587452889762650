import {
  type Engine,
  type FleetLimits,
  type FleetStatus,
  queuedTasks,
  readLimits,
  records,
  someoneWorks,
  statusOf,
  type TaskRecord,
  type TaskState,
} from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, printLine, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { showProgress } from './progress.js';
import { countsInWords, inOrder, printTask } from './table.js';

/** `fleet status`: how many tasks are in each state; with --tasks each one that was begun. */
export async function status(words: string[], args: Arguments): Promise<number> {
  refuseFurther(words, 'fleet status');
  const state = args.values.get('state') as TaskState | undefined;
  if (state !== undefined && !args.switches.has('tasks')) throw new UsageError('--state goes with --tasks.');
  return withFleet(args, async (engine) => {
    const found = await statusOf(engine);
    const limits = await readLimits(engine);
    const tasks = args.switches.has('tasks') ? tasksIn(engine, state) : null;
    if (args.switches.has('json')) {
      printJson({ v: 1, ...found, limits });
      for await (const record of tasks ?? []) printJson(record);
      return exitCodes.done;
    }
    for await (const record of tasks ? inOrder(engine, tasks) : []) printTask(record, process.cwd());
    printCounts(found);
    const inForce = limitsInWords(limits);
    if (inForce !== '') printLine(`limits: ${inForce}`);
    if (found.lastFailure)
      printLine(`last failure: ${found.lastFailure.id}: ${found.lastFailure.message.split('\n')[0]}`);
    return exitCodes.done;
  });
}

async function* tasksIn(engine: Engine, state: TaskState | undefined): AsyncGenerator<TaskRecord> {
  if (state === 'queued') return yield* queuedTasks(engine);
  for await (const record of records(engine)) if (state === undefined || record.state === state) yield record;
}

function limitsInWords({ slots, rates }: FleetLimits): string {
  const tasks = Object.entries(slots).map(([name, most]) => `${name}=${most}`);
  const minutes = Object.entries(rates).map(
    ([name, { requests, tokens }]) =>
      `${name}=${requests ?? ''}${tokens === undefined ? '' : `/${tokens}`} a minute`,
  );
  return [...tasks, ...minutes].join(', ');
}

function lostInWords(count: number): string {
  return count === 1
    ? '1 of the running tasks is lost: its worker is gone'
    : `${count} of the running tasks are lost: their worker is gone`;
}

function printCounts(found: FleetStatus): void {
  const lost = found.lost > 0 ? ` (${lostInWords(found.lost)})` : '';
  print(`${countsInWords(found) || 'This fleet has no tasks.'}${lost}`);
}

/** `fleet watch`: the progress, until Ctrl+C or until nothing is left. */
export async function watch(words: string[], args: Arguments): Promise<number> {
  refuseFurther(words, 'fleet watch');
  return withFleet(args, async (engine) => {
    const signal = abortOnInterrupt();
    const progress = showProgress(engine, { args, count: () => statusOf(engine) });
    let isStuck = false;
    while (!signal.aborted && !isStuck && (await isWorkLeft(engine))) {
      isStuck = await isLeftAlone(engine);
      if (!isStuck) await pause(signal);
    }
    await progress.close();
    const found = await statusOf(engine);
    if (args.switches.has('json')) printJson({ v: 1, type: 'fleet-status', ...found });
    else printCounts(found);
    if (isStuck) warn(NOBODY_LEFT);
    if (signal.aborted) return exitCodes.cancelled;
    return isStuck ? exitCodes.failure : exitCodes.done;
  });
}

export const NOBODY_LEFT =
  'The worker is gone, and no other worker is left to continue. To start one: toolwright fleet worker';

/** True where workers were lost in the middle of tasks, and none is left that could take these over. */
export async function isLeftAlone(engine: Engine): Promise<boolean> {
  return (await statusOf(engine)).lost > 0 && !(await someoneWorks(engine));
}

/** Tasks that were cancelled before anybody claimed them stay in the queue until a worker comes. */
async function isWorkLeft(engine: Engine): Promise<boolean> {
  if ((await engine.unfinished(1)) === 0) return false;
  const { states } = await statusOf(engine);
  return states.queued + states.running > 0;
}

const LOOK_EVERY_MS = 500;

export function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_EVERY_MS);
    signal.addEventListener('abort', end);
  });
}
