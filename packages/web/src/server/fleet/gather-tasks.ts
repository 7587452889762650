import { type TaskRecord, type TaskRow, type TaskState, taskStates } from '../../wire/fleet.js';
import { rowOf } from './task-row.js';

/** The findings of a look at all tasks. */
export interface GatheredTasks {
  /** The latest of each state. */
  rows: Record<TaskState, TaskRow[]>;
  perMinute: number | null;
}

export const MOST_ROWS = 200;
const RATE_OVER_MS = 600_000;
const LEAST_SPAN_MS = 1_000;

/** Keeps so many tasks of each state, however many there are, and counts how fast they end. */
export async function gatherTasks(
  records: AsyncIterable<TaskRecord>,
  { now }: { now: number },
): Promise<GatheredTasks> {
  const kept = new Map<TaskState, TaskRecord[]>(taskStates.map((state) => [state, []]));
  let [ended, begun] = [0, now];
  for await (const record of records) {
    const list = kept.get(record.state) ?? [];
    list.push(record);
    kept.set(record.state, list.length < 2 * MOST_ROWS ? list : latest(list));
    if (record.endedAt !== undefined && now - record.endedAt <= RATE_OVER_MS) ended += 1;
    begun = Math.min(begun, record.startedAt ?? now);
  }
  const span = Math.max(LEAST_SPAN_MS, Math.min(RATE_OVER_MS, now - begun));
  const rows = [...kept].map(([state, list]) => [state, latest(list).map(rowOf)]);
  return {
    rows: Object.fromEntries(rows) as GatheredTasks['rows'],
    perMinute: ended === 0 ? null : Math.round((ended / span) * 600_000) / 10,
  };
}

function latest(list: TaskRecord[]): TaskRecord[] {
  return list
    .sort((one, other) => timeOf(other) - timeOf(one) || (one.task.id < other.task.id ? 1 : -1))
    .slice(0, MOST_ROWS);
}

function timeOf({ endedAt, startedAt }: TaskRecord): number {
  return endedAt ?? startedAt ?? 0;
}
