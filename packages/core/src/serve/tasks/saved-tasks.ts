import { messageOf } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Clock, Log } from '@toolwright/machine/host/host.js';
import { isFromBeforeRestart, lifeOf, ownLease, readLease } from '@toolwright/machine/host/leases/lease.js';
import { openShortLivedFiles } from '@toolwright/machine/host/state/short-lived-files.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { INTERRUPTED, isOver, TASK_TTL_MS, type TaskView, taskError } from './task-view.js';

/** Tasks on the disk, for clients that come back after the server has ended. The newest 64 are kept, for an hour. */
export interface SavedTasks {
  /** Saves a task; never rejects: a task is not worth less because it can't be saved. */
  save(view: TaskView): Promise<void>;
  /** The task with this id. One whose server was killed has failed. */
  find(id: string): Promise<TaskView | null>;
}

export interface SavedTasksNeeds {
  state: Pick<StateFolder, 'path' | 'make'>;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Tasks of servers that work in other folders are not found. */
  directory: string;
}

const MOST = 64;
const LARGEST_BYTES = 1024 * 1024;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TOO_LARGE =
  'The task is done, but its result was too large to be kept after the end of the server that ran it. Call the tool again.';

export function openSavedTasks({ state, clock, log, directory }: SavedTasksNeeds): SavedTasks {
  const files = openShortLivedFiles(state, { folder: 'served-tasks', most: MOST, ttlMs: TASK_TTL_MS, clock });
  return {
    async save(view) {
      try {
        const isLarge = JSON.stringify(view).length > LARGEST_BYTES;
        const task = isLarge ? { ...view, result: undefined, ...taskError(TOO_LARGE) } : view;
        await files.write(`${view.id}.json`, { v: 1, directory, owner: await ownLease(), task });
      } catch (error) {
        log.error(`a task can't be saved for clients that come back: ${messageOf(error)}`, error);
      }
    },
    async find(id) {
      const saved = ID.test(id) ? await files.read(`${id}.json`) : null;
      const task = saved && saved['v'] === 1 && saved['directory'] === directory ? taskIn(saved) : null;
      if (!task || isOver(task.status) || !(await isGone(saved?.['owner']))) return task;
      return { ...task, ...taskError(INTERRUPTED) };
    },
  };
}

async function isGone(owner: unknown): Promise<boolean> {
  const lease = readLease(owner);
  return !lease || (await lifeOf(lease)) === 'dead' || (await isFromBeforeRestart(lease));
}

function taskIn({ task }: JsonObject): TaskView | null {
  const isTask = isJsonObject(task) && typeof task['status'] === 'string' && typeof task['id'] === 'string';
  return isTask ? (task as unknown as TaskView) : null;
}
