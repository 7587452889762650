import type { Clock } from '@toolwright/core';
import type { Engine } from '../engine/engine.js';
import type { Submitted } from '../schedule/control.js';
import type { Task } from '../tasks/task.js';
import type { Room } from './room.js';
import type { TaskDoing, TaskEnd } from './run-task.js';

/** The options of a worker. */
export interface WorkerOptions {
  engine: Engine;
  /** A name for people: machine and process. */
  name: string;
  /** Tasks at a time. */
  slots: number;
  /** Bounds the tasks further by what the machine has; without it the slots alone do. */
  room?: Room;
  leaseMs: number;
  clock: Clock;
  random(): number;
  runTask(task: Task, doing: TaskDoing): Promise<TaskEnd>;
  /** Ends the worker once the queue is empty and nothing of it is put off. */
  untilEmpty?: boolean;
  /** With `untilEmpty`: these tasks alone count. */
  own?: Submitted;
  say?(sentence: string): void;
  signal: AbortSignal;
}
