import { plural } from '@toolwright/core/front-end';
import {
  afterCancelling,
  cancelTask,
  type Engine,
  finalStates,
  forgetTasks,
  inGroups,
  queuedTasks,
  records,
  removeOrphans,
  requireRecord,
  retryTasks,
  type TaskRecord,
} from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { print, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';

export function requireId(id: string | undefined, action: string, more = ''): string {
  if (id !== undefined) return id;
  const text = `fleet ${action} needs the id of a task. toolwright fleet status --tasks lists them.`;
  throw new UsageError(`${text} ${more}`.trim());
}

/** `fleet cancel ID…`, --all or --queued: nothing is cancelled where one of the ids is wrong. */
export function cancel(ids: string[], args: Arguments): Promise<number> {
  const [all, queued] = [args.switches.has('all'), args.switches.has('queued')];
  if (!all && !queued)
    requireId(ids[0], 'cancel', '--queued means all that wait, --all all that have not ended.');
  else if (all === queued || ids.length > 0)
    throw new UsageError('Name tasks, or say --all, or --queued: only one of these.');
  return withFleet(args, async (engine) => {
    let count = 0;
    const told: string[] = [];
    const cancelOne = async (record: TaskRecord): Promise<boolean> => {
      const isCancelled = await cancelTask(engine, record);
      if (isCancelled) count += 1;
      if (isCancelled && record.state === 'running') told.push(record.task.id);
      return isCancelled;
    };
    if (ids.length === 0) await inGroups(candidates(engine, { all }), cancelOne);
    else for (const record of await named(engine, ids)) if (!(await cancelOne(record))) warnEnded(record);
    const deaf = await afterCancelling(engine, told);
    for (const id of deaf)
      warn(`${id} still runs: its worker has not answered. It ends as soon as that worker answers.`);
    print(`${plural(count - deaf.length, 'task')} cancelled.`);
    return deaf.length === 0 && count >= ids.length ? exitCodes.done : exitCodes.failure;
  });
}

async function named(engine: Engine, ids: readonly string[]): Promise<TaskRecord[]> {
  const tasks: TaskRecord[] = [];
  for (const id of ids) tasks.push(await requireRecord(engine, id));
  return tasks;
}

function warnEnded({ task, state }: TaskRecord): void {
  warn(`${task.id} has ended already: ${state}.`);
}

/** Tasks that wait, and with `all` those that run or ask something. */
async function* candidates(engine: Engine, { all }: { all: boolean }): AsyncGenerator<TaskRecord> {
  yield* queuedTasks(engine);
  if (!all) return;
  for await (const record of records(engine)) if (!finalStates.includes(record.state)) yield record;
}

const DAY_MS = 24 * 3_600_000;

/** `fleet forget ID…`, --older DAYS or --collected: changes that nobody has collected go only where their task is named. */
export function forget(ids: string[], args: Arguments): Promise<number> {
  const isCollected = args.switches.has('collected');
  const days = daysIn(args);
  if (!isCollected && days === null && ids.length === 0)
    throw new UsageError('Name tasks, or say --collected, or --older DAYS.');
  return withFleet(args, async (engine) => {
    const wanted = new Set((await named(engine, ids)).map(({ task }) => task.id));
    const before = days === null ? Number.POSITIVE_INFINITY : engine.now() - days * DAY_MS;
    let kept = 0;
    const count = await forgetTasks(engine, (record) => {
      if (ids.length > 0) return wanted.has(record.task.id);
      if ((record.endedAt ?? 0) >= before || (isCollected && !record.kept)) return false;
      const isLeft = record.state === 'done' && Boolean(record.outcome?.files) && !record.kept;
      if (isLeft) kept += 1;
      return !isLeft;
    });
    await removeOrphans(engine);
    print(`${plural(count, 'task')} forgotten.`);
    if (kept > 0)
      warn(
        `${plural(kept, 'task')} with changes that were not collected stayed: collect them, or name them.`,
      );
    if (count < wanted.size) warn('Only tasks that have ended can be forgotten.');
    return count < wanted.size ? exitCodes.failure : exitCodes.done;
  });
}

function daysIn({ values }: Arguments): number | null {
  const given = values.get('older');
  if (given === undefined) return null;
  if (Number(given) >= 0 && given.trim() !== '') return Number(given);
  throw new UsageError(`--older ${given}: must be a number of days.`);
}

/** `fleet retry ID…`, --failed for all that failed, --poison for all that were put aside. */
export function retry(ids: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const states = (['failed', 'poison'] as const).filter((state) => args.switches.has(state));
    if (states.length > 0 === ids.length > 0)
      throw new UsageError(
        'Name tasks, or say --failed for all that failed, --poison for all that were put aside.',
      );
    const wanted = new Set((await named(engine, ids)).map(({ task }) => task.id));
    const count = await retryTasks(engine, ({ task, state }) =>
      ids.length > 0 ? wanted.has(task.id) : states.some((each) => each === state),
    );
    print(`${plural(count, 'task')} put into the queue again.`);
    if (count < wanted.size) warn('Only tasks that failed, were cancelled or put aside are tried again.');
    return count < wanted.size ? exitCodes.failure : exitCodes.done;
  });
}
