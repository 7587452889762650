import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { canonical, isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { State } from '@toolwright/machine/host/state/state.js';

/** A task that was started and whose result nobody has got yet. */
export interface SavedTask {
  id: string;
  isOlder: boolean;
  /** Milliseconds since 1970. */
  startedAt: number;
  expiresAt: number;
}

/** A call as far as it tells one task from another. */
export interface TaskCall {
  /** The alias and the command or address of the server. */
  server: string;
  tool: string;
  args: JsonObject;
}

/** Tasks that outlive this program: the same call goes on with them. */
export interface TaskStore {
  find(call: TaskCall, now: number): Promise<SavedTask | null>;
  save(call: TaskCall, task: SavedTask | null, signal: AbortSignal): Promise<void>;
}

const FORMAT = 'mcp-tasks';
const MOST_TASKS = 200;

/** Arguments may hold secrets, so that a hash stands for the call. */
export function openTaskStore(state: Pick<State, 'readJson' | 'updateJson'>): TaskStore {
  return {
    async find(call, now) {
      const task = tasksIn(await state.readJson(FORMAT))[keyOf(call)];
      return isSavedTask(task) && task.expiresAt > now ? task : null;
    },
    async save(call, task, signal) {
      const change = (data: JsonObject | null): JsonObject => {
        const { [keyOf(call)]: _old, ...others } = tasksIn(data);
        const kept = Object.entries(others).slice(-MOST_TASKS);
        if (task) kept.push([keyOf(call), task]);
        return { tasks: Object.fromEntries(kept) };
      };
      await state.updateJson(FORMAT, change, signal);
    },
  };
}

function tasksIn(data: JsonObject | null): JsonObject {
  return isJsonObject(data?.['tasks']) ? data['tasks'] : {};
}

function keyOf({ server, tool, args }: TaskCall): string {
  return sha256OfText(JSON.stringify([server, tool, canonical(args)]));
}

function isSavedTask(value: unknown): value is SavedTask {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['expiresAt'] === 'number';
}
