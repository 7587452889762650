import { type TaskRecord, type TaskRow, type TaskState, taskStates } from '../../wire/fleet.js';
import { rowOf } from './task-row.js';

/** The findings of a look at all tasks. */
export interface GatheredTasks {
  /** The latest of each state. */
  rows: Record<TaskState, TaskRow[]>;
  /** Tasks that ended in the last ten minutes, and the part of these in which some ran, of a second at least. */
  ended: number;
  workedMs: number;
}

export const MOST_ROWS = 200;
const SECOND_MS = 1_000;
const RATE_OVER_MS = 600_000;

/** Keeps so many tasks of each state, however many there are, and counts how fast they end. */
export async function gatherTasks(
  records: AsyncIterable<TaskRecord>,
  { now }: { now: number },
): Promise<GatheredTasks> {
  const kept = new Map<TaskState, TaskRecord[]>(taskStates.map((state) => [state, []]));
  const worked = new Set<number>();
  let ended = 0;
  for await (const record of records) {
    const list = kept.get(record.state) ?? [];
    list.push(record);
    kept.set(record.state, list.length < 2 * MOST_ROWS ? list : latest(list));
    if (record.endedAt !== undefined && now - record.endedAt <= RATE_OVER_MS) ended += 1;
    for (const second of workedSeconds(record, now)) worked.add(second);
  }
  const rows = [...kept].map(([state, list]) => [state, latest(list).map(rowOf)]);
  return {
    rows: Object.fromEntries(rows) as GatheredTasks['rows'],
    ended,
    workedMs: Math.max(1, worked.size) * SECOND_MS,
  };
}

/** The seconds before now in which the task ran, as far as they count for the rate. */
function* workedSeconds({ state, startedAt, endedAt }: TaskRecord, now: number): Generator<number> {
  const until = endedAt ?? (state === 'running' ? now : undefined);
  if (startedAt === undefined || until === undefined) return;
  // The clock of another machine may be ahead.
  const last = Math.max(0, Math.floor((now - until) / SECOND_MS));
  const first = Math.min(Math.ceil((now - startedAt) / SECOND_MS), RATE_OVER_MS / SECOND_MS);
  for (let second = last; second < first; second++) yield second;
}

function latest(list: TaskRecord[]): TaskRecord[] {
  return list
    .sort((one, other) => timeOf(other) - timeOf(one) || (one.task.id < other.task.id ? 1 : -1))
    .slice(0, MOST_ROWS);
}

function timeOf({ endedAt, startedAt }: TaskRecord): number {
  return endedAt ?? startedAt ?? 0;
}
