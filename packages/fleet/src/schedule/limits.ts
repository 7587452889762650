import type { Engine } from '../engine/engine.js';
import { repositoryOf, type Task } from '../tasks/task.js';
import { recordIn } from './record.js';

/** Limits of the whole fleet, told once and obeyed by every worker. */
export interface FleetLimits {
  /** Tasks at a time: `fleet` for all, `repository` for each repository, else by label; 0 lifts a limit. */
  slots: Record<string, number>;
  /** Requests and tokens a minute, by provider. */
  rates: Record<string, { requests?: number; tokens?: number }>;
}

export const noLimits: FleetLimits = { slots: {}, rates: {} };

/** The limits that hold in a fleet; none where none was set. */
export async function readLimits(engine: Engine): Promise<FleetLimits> {
  return ((await engine.table('fleet').get('limits'))?.value as FleetLimits | undefined) ?? noLimits;
}

/** Puts limits in force for all workers, beside those that are there. */
export async function writeLimits(engine: Engine, limits: FleetLimits): Promise<void> {
  const table = engine.table('fleet');
  for (;;) {
    const row = await table.get('limits');
    const present = (row?.value as FleetLimits | undefined) ?? noLimits;
    const next: FleetLimits = {
      slots: inForce({ ...present.slots, ...limits.slots }),
      rates: { ...present.rates, ...limits.rates },
    };
    if ((await table.put('limits', next, row?.revision ?? null)) !== null) return;
  }
}

function inForce(slots: FleetLimits['slots']): FleetLimits['slots'] {
  return Object.fromEntries(Object.entries(slots).filter(([, most]) => most > 0));
}

/** The counters that a task takes a place of, with the most that each holds. */
function countersOf(task: Task, { slots }: FleetLimits): [name: string, most: number][] {
  const names = [
    ['fleet', slots['fleet']],
    [`repository ${repositoryOf(task)}`, slots['repository']],
    ...task.labels.map((label) => [`label ${label}`, slots[label]]),
  ] as [string, number | undefined][];
  return names.filter((entry): entry is [string, number] => entry[1] !== undefined);
}

/**
 * Takes a place in every counter, or in none. A place belongs to the task, not to the worker: when a worker is gone, the task is
 * delivered again and still has it.
 */
export async function takePlaces(engine: Engine, task: Task, limits: FleetLimits): Promise<boolean> {
  const taken: string[] = [];
  for (const [name, most] of countersOf(task, limits)) {
    if (await takePlace(engine, { name, most, id: task.id })) taken.push(name);
    else {
      for (const each of taken) await leavePlace(engine, each, task.id);
      return false;
    }
  }
  return true;
}

export async function leavePlaces(engine: Engine, task: Task, limits: FleetLimits): Promise<void> {
  for (const [name] of countersOf(task, limits)) await leavePlace(engine, name, task.id);
}

interface Place {
  name: string;
  most: number;
  id: string;
}

async function takePlace(engine: Engine, { name, most, id }: Place): Promise<boolean> {
  const table = engine.table('limits');
  for (;;) {
    const row = await table.get(name);
    let holders = (row?.value as string[] | undefined) ?? [];
    if (holders.includes(id)) return true;
    if (holders.length >= most) {
      holders = await stillRunning(engine, holders);
      if (holders.length >= most) return false;
    }
    if ((await table.put(name, [...holders, id], row?.revision ?? null)) !== null) return true;
  }
}

async function leavePlace(engine: Engine, name: string, id: string): Promise<void> {
  const table = engine.table('limits');
  for (;;) {
    const row = await table.get(name);
    const holders = (row?.value as string[] | undefined) ?? [];
    if (!holders.includes(id)) return;
    const left = holders.filter((holder) => holder !== id);
    if ((await table.put(name, left, row!.revision)) !== null) return;
  }
}

/** A worker may be gone between the end of its task and leaving its place. */
async function stillRunning(engine: Engine, holders: readonly string[]): Promise<string[]> {
  const running: string[] = [];
  for (const id of holders) {
    const state = recordIn(await engine.table('tasks').get(id))?.state;
    if (state === undefined || state === 'running' || state === 'queued') running.push(id);
  }
  return running;
}
