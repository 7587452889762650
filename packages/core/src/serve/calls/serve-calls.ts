import type { Server } from '@modelcontextprotocol/server';
import type { ServerSdk } from '../server-sdk.js';
import type { SavedTasks } from '../tasks/saved-tasks.js';
import { createTasks } from '../tasks/tasks.js';
import { serveLegacyCalls } from './legacy-calls.js';
import { serveModernCalls } from './modern-calls.js';
import type { Rounds } from './rounds.js';
import { createRunCalls, type ServedCallNeeds } from './run-calls.js';

/**
 * The revisions of the protocol by their way to ask. `legacy`: the server asks while a call waits. `modern`: the question is the
 * response to the call, and its answer comes with a new request.
 */
export type Era = 'legacy' | 'modern';

export interface ServeCallsNeeds extends ServedCallNeeds {
  sdk: ServerSdk;
  rounds: Rounds;
  questionLimitMs: number;
  /** A call that takes longer becomes a task, where the client knows of tasks. */
  taskAfterMs?: number;
  /** The store of tasks; without it they end with the server. */
  savedTasks?: SavedTasks;
}

export interface ServedCalls {
  /** Answers the requests about calls that come to this server. */
  addTo(server: Server, era: Era): void;
  close(): Promise<void>;
}

const TASK_AFTER_MS = 5_000;

export function serveCalls(needs: ServeCallsNeeds): ServedCalls {
  const { clock, savedTasks, taskAfterMs = TASK_AFTER_MS } = needs;
  const runs = createRunCalls(needs);
  const tasks = createTasks(clock, savedTasks);
  const serving = { ...needs, runs, tasks, taskAfterMs };
  return {
    addTo(server, era) {
      if (era === 'modern') serveModernCalls(server, serving);
      else serveLegacyCalls(server, serving);
    },
    async close() {
      await tasks.close();
      await runs.close();
    },
  };
}
