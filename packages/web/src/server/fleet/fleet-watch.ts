import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, paceOf } from '@toolwright/core/front-end';
import {
  type FleetBoard,
  type FleetStatus,
  type TaskRow,
  type TaskState,
  taskStates,
} from '../../wire/fleet.js';
import { NotFound } from '../sessions/session-index.js';
import type { FleetDoor, FleetNews } from './fleet-door.js';
import { type GatheredTasks, gatherTasks } from './gather-tasks.js';

interface FleetWatchNeeds {
  /** Null as long as there is no fleet. */
  openFleet(): Promise<FleetDoor | null>;
  /** True while somebody looks at the page. */
  isWatched(): boolean;
  onBoard(board: FleetBoard | null): void;
  onNews(news: FleetNews): void;
}

type Looked = { board: Omit<FleetBoard, 'stamp'>; rows: GatheredTasks['rows'] | null };

/** The pause after a look, in lengths of that look: a look reads every task. */
const PAUSE_FACTOR = 10;
const LEAST_PAUSE_MS = 500;
/** Looks again after this time without an event: events may have been lost. */
const QUIET_MS = 4_000;

const noTasks = Object.fromEntries(taskStates.map((state) => [state, 0])) as FleetStatus['states'];
const noUsage = { turns: 0, calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

/** Looks at the fleet while somebody looks at the page, and tells what is new. */
export class FleetWatch {
  private readonly ending = new AbortController();
  private opened: Promise<FleetDoor | null> | null = null;
  private looking: Promise<void> | null = null;
  private heard = new AbortController();
  private last: FleetBoard | null | undefined;
  private rows: GatheredTasks['rows'] | null = null;
  private drawn = '';

  constructor(private readonly needs: FleetWatchNeeds) {}

  /** The board at the last look; null where there is no fleet, undefined before the first look. */
  get board(): FleetBoard | null | undefined {
    return this.last;
  }

  /** Looks soon: somebody has opened the page, or something was changed. */
  wake(): void {
    this.heard.abort();
    this.looking ??= this.lookOn().finally(() => (this.looking = null));
  }

  async door(): Promise<FleetDoor> {
    const door = await this.reach();
    if (door) return door;
    throw new NotFound('There is no fleet here yet. toolwright fleet run begins one.');
  }

  /** Tasks of one state, or of all, those first that need somebody. */
  async tasks(state: TaskState | undefined): Promise<{ rows: TaskRow[]; more: number }> {
    if (!this.rows) await this.look();
    const states: readonly TaskState[] = state ? [state] : taskStates;
    const rows = states.flatMap((each) => this.rows?.[each] ?? []);
    const count = states.reduce((sum, each) => sum + (this.last?.states[each] ?? 0), 0);
    return { rows, more: Math.max(0, count - rows.length) };
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.looking;
    const door = await this.opened?.catch(() => null);
    await door?.close();
  }

  private async lookOn(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted && this.needs.isWatched()) {
      this.heard = new AbortController();
      const began = performance.now();
      await this.look();
      const took = performance.now() - began;
      await quietly(Math.max(LEAST_PAUSE_MS, took * PAUSE_FACTOR), signal);
      await quietly(QUIET_MS, AbortSignal.any([signal, this.heard.signal]));
    }
  }

  private async look(): Promise<void> {
    try {
      const door = await this.reach();
      this.take(door && (await lookThrough(door)));
    } catch (error) {
      const { states = noTasks, usage = noUsage, place = '', lastFailure = null } = this.last ?? {};
      const board = { states, usage, place, lastFailure, perMinute: null, leftMs: null };
      this.take({ board: { ...board, problem: messageOf(error) }, rows: this.rows });
    }
  }

  private take(looked: Looked | null): void {
    const drawn = JSON.stringify(looked);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.rows = looked?.rows ?? null;
    this.last = looked && { ...looked.board, stamp: (this.last?.stamp ?? 0) + 1 };
    this.needs.onBoard(this.last);
  }

  /** A fleet that is not there may come later; one that could not be reached is tried again. */
  private reach(): Promise<FleetDoor | null> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }

  private async open(): Promise<FleetDoor | null> {
    const door = await this.needs.openFleet();
    if (!door) this.opened = null;
    void door?.listen((news) => this.hear(news), this.ending.signal).catch(() => undefined);
    return door;
  }

  private hear(news: FleetNews): void {
    if (news.type !== 'task-log') this.heard.abort();
    this.needs.onNews(news);
  }
}

async function lookThrough(door: FleetDoor): Promise<Looked> {
  const status = await door.status();
  const { rows, ended, workedMs } = await gatherTasks(door.records(), { now: door.now() });
  const left = status.states.queued + status.states.running;
  const pace = paceOf({ ended, workedMs, left });
  return { board: { ...status, ...pace, place: door.place, problem: null }, rows };
}

async function quietly(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
