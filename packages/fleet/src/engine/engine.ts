import type { QueueEntry, Task, TaskWorkspace } from '../tasks/task.js';

/** The place of a fleet's queue, tables and objects. Everything that crosses it is plain data. */
export interface Engine {
  /** Milliseconds by a clock that all who use this engine share, whatever their own clocks say. */
  now(): number;
  /** Puts tasks at the end of the queue; gives how many. */
  submit(tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number>;
  /** The next task, owned until it is done or given back; null when none came within about a second. */
  claim(signal: AbortSignal): Promise<Claim | null>;
  /** Tasks that wait, were put off or run; counting may end once there are so many. */
  unfinished(enough?: number): Promise<number>;
  /** The entries of the queue, also those that run or were put off. */
  waiting(): AsyncIterable<QueueEntry>;
  /** A task of the queue, or null. */
  peek(id: string): Promise<QueueEntry | null>;
  table(name: TableName): Table;
  objects: Objects;
  publish(event: FleetEvent): void;
  /** Events from now on, until the signal: all of them, or only what workers are told to do. */
  listen(onEvent: (event: FleetEvent) => void, signal: AbortSignal, which?: EventKind): Promise<void>;
  close(): Promise<void>;
}

/** A delivery of a task. Its holder renews it; one that is not renewed goes to somebody else. */
export interface Claim<Entry extends QueueEntry = QueueEntry> {
  readonly task: Entry;
  /** False once somebody else may have the task. */
  renew(): Promise<boolean>;
  /** Takes the task out of the queue. */
  done(): Promise<void>;
  /** Puts the task back, to be claimed after the delay. */
  back(delayMs: number): Promise<void>;
}

/** tasks: one record for each task that was begun. limits: what is in use. fleet: what the whole fleet was told. workers: signs of life. */
export type TableName = 'tasks' | 'limits' | 'fleet' | 'workers';

/** A row of a table, with the revision that a change must name. */
export interface Row {
  value: unknown;
  /** Changes with every write. */
  revision: number;
}

/** Small JSON values by key, changed by compare-and-swap. */
export interface Table {
  get(key: string): Promise<Row | null>;
  /** The new revision; null when the row is not the one of `revision` any more (null: there is none yet). */
  put(key: string, value: unknown, revision: number | null): Promise<number | null>;
  /** False when the row is not the one of `revision` any more. */
  remove(key: string, revision: number): Promise<boolean>;
  entries(): AsyncIterable<[key: string, value: unknown]>;
}

/** Bytes by name; a name is replaced whole. */
export interface Objects {
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | null>;
  remove(name: string): Promise<void>;
  names(): AsyncIterable<string>;
  /** Removes what writers that were killed have left behind: parts that belong to no object. */
  tidy(): Promise<void>;
}

/** An event for whoever listens at that moment; nothing depends on it. */
export type FleetEvent =
  | {
      type: 'task-state';
      id: string;
      state: string;
      title: string;
      /** Workers of an earlier version leave it out. */
      workspace?: TaskWorkspace;
      worker?: string;
      message?: string;
    }
  | { type: 'task-log'; id: string; line: string }
  | { type: 'task-cancel'; id: string }
  | { type: 'provider-pause'; provider: string; forMs: number }
  | { type: 'fleet-stop'; reason: string };

/** Ten thousand workers that each heard what all others do would hear of nothing else. */
export type EventKind = 'all' | 'orders';

/** True if workers act upon the event. */
export function isOrder({ type }: FleetEvent): boolean {
  return type === 'task-cancel' || type === 'provider-pause' || type === 'fleet-stop';
}

/** How a fleet on servers is reached. */
export interface ServerAccess {
  /** Name of the fleet: several can share one server. */
  fleet: string;
  /** A credentials file of NATS, or one with the seed of an nkey. */
  credentials?: string | undefined;
  /** A file with the certificate of the authority that the servers are signed by. */
  tlsAuthority?: string | undefined;
  /** The certificate by which servers know this program, and its key; both as files. */
  tlsCertificate?: string | undefined;
  tlsKey?: string | undefined;
  /** Accepts servers that are not on this machine without credentials or TLS. */
  insecure?: boolean;
  times?: EngineTimes;
}

/** The times by which an engine works. */
export interface EngineTimes {
  /** A claim that is not renewed for so long goes to somebody else. */
  leaseMs: number;
  /** The clock of this machine (default: `Date.now`). It may be wrong: nothing relies on it alone. */
  wallClock?: () => number;
}

/** The times by which an engine works where nothing else is said. */
export const usualTimes: EngineTimes = { leaseMs: 30_000 };
