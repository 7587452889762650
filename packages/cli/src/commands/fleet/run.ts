import { plural } from '@toolwright/core/front-end';
import {
  type Engine,
  type Report,
  type Submitted,
  statusOf,
  submitRows,
  type TaskFile,
  writeLimits,
} from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { showProgress } from './progress.js';
import { limitsOf, openRows } from './read-rows.js';
import { countsInWords, report, requireReportFolder } from './table.js';
import { requireModel } from './work/require-model.js';
import { folderCheck, rootsOf, slotsOf, tellEnd, workHere } from './work/task-agent.js';

/** `fleet run`: submits, works here until everything is done, and reports. */
export async function run(args: Arguments): Promise<number> {
  const slots = await slotsOf(args, 'workers');
  await requireReportFolder(args);
  await requireModel(args);
  const file = await openRows(args, folderCheck(args));
  const signal = abortOnInterrupt();
  return withFleet(args, async (engine) => {
    const sinceMs = performance.now();
    const submitted = await submit(engine, file, args);
    const progress = showProgress(engine, {
      args,
      submitted,
      count: () => statusOf(engine, submitted),
    });
    try {
      const end = await workHere(engine, args, {
        slots,
        untilEmpty: true,
        own: submitted,
        signal,
        say: progress.say,
      });
      await progress.close();
      tellEnd(end);
    } finally {
      await progress.close();
    }
    return exitCodeOf(await report(engine, args, { submitted, sinceMs }), signal);
  });
}

async function submit(engine: Engine, file: TaskFile, args: Arguments): Promise<Submitted> {
  try {
    const limits = limitsOf(args);
    if (limits) await writeLimits(engine, limits);
    return await submitRows(engine, file.rows());
  } finally {
    await file.close();
  }
}

/** `fleet submit`: puts tasks into the queue for whoever works there. */
export async function submitOnly(args: Arguments): Promise<number> {
  const file = await openRows(args);
  return withFleet(args, async (engine) => {
    const { count, first, last } = await submit(engine, file, args);
    if (args.switches.has('json')) printJson({ v: 1, submitted: count, first, last });
    else print(`${plural(count, 'task')} submitted.`);
    return exitCodes.done;
  });
}

/** `fleet worker`: works for a fleet until it is told to end. */
export async function worker(args: Arguments): Promise<number> {
  refuseFurther(args.words, 'fleet worker');
  const slots = await slotsOf(args, 'slots');
  await requireModel(args);
  const signal = abortOnInterrupt();
  return withFleet(args, async (engine) => {
    const limits = limitsOf(args);
    if (limits) await writeLimits(engine, limits);
    const folders = rootsOf(args).join(', ');
    warn(
      `Working with ${plural(slots, 'slot')} in ${folders}. Press Ctrl+C to stop; running tasks go back into the queue.`,
    );
    const end = await workHere(engine, args, {
      slots,
      untilEmpty: args.switches.has('until-empty'),
      signal,
      say: warn,
    });
    tellEnd(end);
    if (end.kind === 'empty')
      warn(`No task is left to work on: ${countsInWords(await statusOf(engine)) || 'there were none'}.`);
    return end.kind === 'stopped' ? exitCodes.failure : exitCodes.done;
  });
}

function exitCodeOf({ states, tasks }: Pick<Report, 'states' | 'tasks'>, signal: AbortSignal): number {
  if (signal.aborted) return exitCodes.cancelled;
  if (tasks.some(({ failure, state }) => state === 'failed' && failure?.kind === 'auth'))
    return exitCodes.auth;
  if (states.failed + states.poison + states.queued > 0) return exitCodes.failure;
  return states.parked > 0 ? exitCodes.parked : exitCodes.done;
}
