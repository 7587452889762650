import { type Engine, type FleetStatus, readReport, records, statusOf } from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, printLine } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { showProgress } from './progress.js';
import { countsInWords, printTable } from './table.js';

/** `fleet status`: how many tasks are in each state; with --tasks each one that was begun. */
export async function status(words: string[], args: Arguments): Promise<number> {
  refuseFurther(words, 'fleet status');
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
  print(countsInWords(found) || 'This fleet has no tasks.');
}

/** `fleet watch`: the progress, until Ctrl+C or until nothing is left. */
export async function watch(words: string[], args: Arguments): Promise<number> {
  refuseFurther(words, 'fleet watch');
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
