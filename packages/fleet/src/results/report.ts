import type { Engine } from '../engine/engine.js';
import { type FleetStatus, records, type Submitted, statusOf } from '../schedule/control.js';
import { recordIn, type TaskRecord, type TaskState } from '../schedule/record.js';
import { patchOfTask } from './collect.js';

/** The outcome of tasks. */
export interface Report extends Pick<FleetStatus, 'states' | 'usage'> {
  /** Tasks that need somebody come first, the others in the order in which they ended. */
  tasks: TaskRecord[];
  /** The number of tasks that the report does not list. */
  more: number;
  /** The change sets as patches, by the id of the task. */
  patches: Map<string, string>;
  /** Paths are shown relative to it. */
  directory: string;
}

/** The tasks that a report is about, and how much of them it holds. */
export interface ReportOptions {
  directory: string;
  submitted?: Submitted | undefined;
  /** False for a report without the change sets, for a table. */
  patches?: boolean;
  most?: number;
}

const MOST_TASKS = 2_000;
const order: TaskState[] = ['failed', 'poison', 'parked', 'running', 'queued', 'cancelled', 'done'];

/** Reads what became of tasks; only those that are listed are held in memory. */
export async function readReport(
  engine: Engine,
  { directory, submitted, patches = true, most = MOST_TASKS }: ReportOptions,
): Promise<Report> {
  const { states, usage } = await statusOf(engine, submitted);
  const all: { id: string; rank: number; at: number }[] = [];
  for await (const { task, state, endedAt = 0 } of records(engine, submitted))
    all.push({ id: task.id, rank: order.indexOf(state), at: endedAt });
  all.sort((one, other) => one.rank - other.rank || one.at - other.at || (one.id < other.id ? -1 : 1));
  const report: Report = {
    states,
    usage,
    tasks: [],
    more: Math.max(0, all.length - most),
    patches: new Map(),
    directory,
  };
  for (const { id } of all.slice(0, most)) {
    const record = recordIn(await engine.table('tasks').get(id));
    if (!record) continue;
    report.tasks.push(record);
    const patch = patches ? await patchOfTask(engine, record) : null;
    if (patch) report.patches.set(id, shortened(patch));
  }
  return report;
}

const MOST_LINES = 300;
const MOST_CHARACTERS = 40_000;

function shortened(patch: string): string {
  const lines = patch.slice(0, MOST_CHARACTERS).trimEnd().split('\n');
  const isWhole = patch.length <= MOST_CHARACTERS && lines.length <= MOST_LINES;
  return isWhole ? lines.join('\n') : `${lines.slice(0, MOST_LINES).join('\n')}\n… the patch continues`;
}
