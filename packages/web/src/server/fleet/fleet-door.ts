import type { ParkedQuestion } from '@toolwright/core/front-end';
import type { FleetStatus, TaskRecord } from '../../wire/fleet.js';

/** A task, as it is read for the page. */
export interface ReadTask {
  record: TaskRecord;
  /** Those that still wait, with all that they ask. */
  questions: Pick<ParkedQuestion, 'digest' | 'request'>[];
  journal: string | null;
}

/** The fleet that the page shows, as the program reaches it. Its data pass through unchanged. */
export interface FleetDoor {
  /** The fleet's place, in words. */
  place: string;
  /** Milliseconds by the clock that all who use the fleet share. */
  now(): number;
  status(): Promise<FleetStatus>;
  /** Gives the tasks that were begun. */
  records(): AsyncIterable<TaskRecord>;
  /** Throws a sentence for the user where there is no such task. */
  read(id: string): Promise<ReadTask>;
  /** The changes of a task, as git writes them; null where it made none. */
  readPatch(id: string): Promise<string | null>;
  /** False where this question is not open. */
  answer(
    question: { task: string; digest: string },
    answer: { agrees: boolean; reason?: string },
  ): Promise<boolean>;
  /** False where the task has ended. */
  cancel(id: string): Promise<boolean>;
  /** False where the task has not failed. */
  retry(id: string): Promise<boolean>;
  /** Events from now on, until the signal. */
  listen(onEvent: (event: FleetNews) => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The events of a fleet, as far as the page reads them. */
export interface FleetNews {
  type: string;
  id?: string;
  line?: string;
}
