import { plural } from '@toolwright/core/front-end';
import { cancelTask, requireRecord, retryTasks, type TaskRecord } from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { print, warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';

export function requireId(id: string | undefined, action: string): string {
  if (id !== undefined) return id;
  throw new UsageError(`fleet ${action} needs the id of a task. toolwright fleet status --tasks lists them.`);
}

/** `fleet cancel ID…`: nothing is cancelled where one of the ids is wrong. */
export function cancel(ids: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    requireId(ids[0], 'cancel');
    const tasks: TaskRecord[] = [];
    for (const id of ids) tasks.push(await requireRecord(engine, id));
    let count = 0;
    for (const task of tasks) {
      if (await cancelTask(engine, task)) count += 1;
      else warn(`${task.task.id} has ended already: ${task.state}.`);
    }
    print(`${plural(count, 'task')} cancelled.`);
    return count === ids.length ? exitCodes.done : exitCodes.failure;
  });
}

/** `fleet retry ID…`, or --failed for all that failed. */
export function retry(ids: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const all = args.switches.has('failed');
    if (all === ids.length > 0) throw new UsageError('Name tasks, or say --failed for all that failed.');
    const wanted = new Set<string>();
    for (const id of ids) wanted.add((await requireRecord(engine, id)).task.id);
    const count = await retryTasks(engine, ({ task, state }) =>
      all ? state === 'failed' : wanted.has(task.id),
    );
    print(`${plural(count, 'task')} put into the queue again.`);
    if (count < wanted.size) warn('Only tasks that failed, were cancelled or put aside are tried again.');
    return count < wanted.size ? exitCodes.failure : exitCodes.done;
  });
}
