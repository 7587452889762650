import { plural } from '@toolwright/core/front-end';
import {
  countsOf,
  type Engine,
  type FleetStatus,
  patchOfTask,
  readReport,
  records,
  requireRecord,
  statusOf,
} from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, printLine } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { showProgress } from './progress.js';
import { printTable } from './table.js';
import { requireId } from './tasks.js';

/** `fleet status`: how many tasks are in each state; with --tasks each one that was begun. */
export function status(_words: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const found = await statusOf(engine);
    if (args.switches.has('json')) {
      printJson({ v: 1, ...found });
      if (args.switches.has('tasks')) for await (const record of records(engine)) printJson(record);
      return exitCodes.done;
    }
    if (args.switches.has('tasks'))
      printTable(
        await readReport(engine, { directory: process.cwd(), patches: false, most: Number.MAX_SAFE_INTEGER }),
      );
    printCounts(found);
    if (found.lastFailure)
      printLine(`last failure: ${found.lastFailure.id}: ${found.lastFailure.message.split('\n')[0]}`);
    return exitCodes.done;
  });
}

function printCounts(found: FleetStatus): void {
  const counts = countsOf(found).map(([state, count]) => `${count} ${state}`);
  print(counts.length === 0 ? 'This fleet has no tasks.' : counts.join(', '));
}

/** `fleet watch`: the progress, until Ctrl+C or until nothing is left. */
export function watch(_words: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const signal = abortOnInterrupt();
    const progress = showProgress(engine, { args, count: () => statusOf(engine) });
    while (!signal.aborted && (await isWorkLeft(engine))) await pause(signal);
    await progress.close();
    const found = await statusOf(engine);
    if (args.switches.has('json')) printJson({ v: 1, type: 'fleet-status', ...found });
    else printCounts(found);
    return signal.aborted ? exitCodes.cancelled : exitCodes.done;
  });
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

/** `fleet show ID`: everything about one task, and its patch. */
export function show([id]: string[], args: Arguments): Promise<number> {
  return withFleet(args, (engine) => showTask(engine, requireId(id, 'show'), args));
}

async function showTask(engine: Engine, id: string, args: Arguments): Promise<number> {
  const record = await requireRecord(engine, id);
  const patch = await patchOfTask(engine, record);
  if (args.switches.has('json')) {
    printJson({ ...record, patch }, 2);
    return exitCodes.done;
  }
  const { task, state, attempts, usage, outcome, failure, worker, kept, questions = [] } = record;
  print(`${task.id}  ${state}${worker ? ` on ${worker}` : ''}, ${plural(attempts, 'attempt')}`);
  print(task.prompt);
  if (failure && state !== 'done') print(`${failure.kind}: ${failure.message}`);
  if (state === 'parked')
    for (const { request } of questions) print(`question: ${request.description}: ${request.reason}`);
  const tokens = plural(usage.inputTokens + usage.outputTokens, 'token');
  print(`${plural(usage.turns, 'turn')}, ${tokens}, $${usage.cost.toFixed(4)}`);
  if (outcome?.check) print(`check: ${outcome.check.ended}\n${outcome.check.output}`);
  if (outcome?.response) print(`\n${outcome.response}`);
  for (const sentence of outcome?.leftOut ?? []) print(`left out: ${sentence}`);
  if (kept) print(`kept: ${kept.as} ${kept.where}`);
  if (patch) print(`\n${patch}`);
  return exitCodes.done;
}
