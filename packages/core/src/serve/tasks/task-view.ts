import type { CallerRequests } from '../../tools/caller/caller.js';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as it is at one moment; each revision of the protocol words it in its way. */
export interface TaskView {
  id: string;
  status: TaskStatus;
  /** The latest output, or the reason why it has no result. */
  statusMessage: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  /** Questions that wait, with `input_required`. */
  requests?: CallerRequests;
  /** The result of a `completed` task. */
  result?: object;
  /** The error of a `failed` task. */
  error?: { code: number; message: string };
}

/** Longer than any call may run. */
export const TASK_TTL_MS = 60 * 60_000;
const INTERNAL_ERROR = -32_603;

export const INTERRUPTED =
  'The server ended before this task was done. What the task had started was ended, too; none of it goes on. Call the tool again.';

/** The end of a task without a result of its call. */
export function taskError(message: string, code = INTERNAL_ERROR): Pick<TaskView, 'status' | 'error'> {
  return { status: 'failed', error: { code, message } };
}

export function isOver(status: TaskStatus): boolean {
  return status !== 'working' && status !== 'input_required';
}
