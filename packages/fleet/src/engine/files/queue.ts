import { mkdir, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoTask } from '../../tasks/is-task.js';
import type { QueueEntry, Task } from '../../tasks/task.js';
import type { Claim, EngineTimes } from '../engine.js';
import { type Beats, openBeats } from './beats.js';
import { namesOf, tryRemove, tryRename } from './paths.js';
import { DUE_DIGITS, nameOf, placeIn, readEntry, type TaskPlace, writeSegments } from './segments.js';

const LOOK_EVERY_MS = 100;
const WAIT_MS = 1_000;
/** Sorts before the segments: a task that was begun goes on first. */
const AGAIN = '0-again';

/**
 * A queue of files. The worker that renames a task into `running`, with its own name at the end, has it; one put off waits in `delayed`
 * under its time.
 */
export interface FileQueue {
  submit(tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number>;
  claim(signal: AbortSignal): Promise<Claim | null>;
  unfinished(enough?: number): Promise<number>;
  waiting(): AsyncIterable<QueueEntry>;
  peek(id: string): Promise<QueueEntry | null>;
  close(): Promise<void>;
}

interface Folders {
  /** Segments that are being written. */
  made: string;
  /** Segments with tasks that wait. */
  queue: string;
  running: string;
  delayed: string;
}

interface QueueNeeds {
  folders: Folders;
  beats: Beats;
  now(): number;
}

export function openFileQueue(root: string, { leaseMs }: EngineTimes, now: () => number): FileQueue {
  const folders: Folders = {
    made: join(root, 'made'),
    queue: join(root, 'queue'),
    running: join(root, 'running'),
    delayed: join(root, 'delayed'),
  };
  const beats = openBeats(join(root, 'workers'), leaseMs);
  const needs: QueueNeeds = { folders, beats, now };
  const bringBack = createBringingBack(needs);
  /** Paths of some tasks that wait; never more than one segment is held in memory. */
  let known: string[] = [];

  return {
    submit: (tasks) => writeSegments(folders, tasks),
    async claim(signal) {
      await makeFolders(folders);
      const until = performance.now() + WAIT_MS;
      while (!signal.aborted) {
        await bringBack();
        for (let path = known.shift(); path; path = known.shift()) {
          const claim = await take(path, needs);
          if (claim) return claim;
        }
        known = await firstSegment(folders.queue);
        if (known.length > 0) continue;
        if (performance.now() > until) return null;
        await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
      return null;
    },
    async unfinished(enough = Number.POSITIVE_INFINITY) {
      // A task that came back while the folders were read may be in none of them.
      return (await countAll(folders, enough)) || countAll(folders, enough);
    },
    waiting: () => allTasks(folders),
    peek: (id) => findTask(id, folders),
    close: () => beats.close(),
  };
}

async function countAll(folders: Folders, enough: number): Promise<number> {
  let count = 0;
  for await (const { names } of allNames(folders)) {
    count += names.length;
    if (count >= enough) break;
  }
  return count;
}

async function* allTasks(folders: Folders): AsyncGenerator<QueueEntry> {
  for await (const { folder, names } of allNames(folders)) {
    for (const name of names.sort()) {
      const place = placeIn(name);
      const task = place && (await readEntry(join(folder, name), place).catch(() => null));
      if (task) yield task;
    }
  }
}

async function findTask(id: string, folders: Folders): ReturnType<FileQueue['peek']> {
  for await (const { folder, names } of allNames(folders)) {
    for (const name of names) {
      const place = placeIn(name);
      if (place?.id !== id) continue;
      const task = await readEntry(join(folder, name), place).catch(() => null);
      if (task) return task;
    }
  }
  return null;
}

async function makeFolders({ queue, running, delayed }: Folders): Promise<void> {
  for (const folder of [join(queue, AGAIN), running, delayed])
    await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function firstSegment(queue: string): Promise<string[]> {
  for (const segment of (await namesOf(queue)).sort()) {
    const folder = join(queue, segment);
    const names = (await namesOf(folder)).sort();
    if (names.length > 0) return names.map((name) => join(folder, name));
    if (segment !== AGAIN) await rmdir(folder).catch(() => undefined);
  }
  return [];
}

/** The tasks of one folder after the other: a hundred thousand are never in memory at once. */
async function* allNames({ queue, running, delayed }: Folders) {
  const segments = (await namesOf(queue)).sort().map((segment) => join(queue, segment));
  for (const folder of [...segments, delayed, running]) yield { folder, names: await namesOf(folder) };
}

/** Brings back tasks whose time has come, and those of workers that are gone. */
function createBringingBack({ folders, beats, now }: QueueNeeds): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  const again = (place: TaskPlace): string => join(folders.queue, AGAIN, nameOf(place));
  return async () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = performance.now();
    const present = now();
    for (const name of (await namesOf(folders.delayed)).sort()) {
      if (dueOf(name) > present) break;
      const place = placeIn(name);
      if (place) await tryRename(join(folders.delayed, name), again(place));
    }
    const running = new Map((await namesOf(folders.running)).map((name) => [ownerOf(name), name]));
    for (const owner of await beats.staleOf([...running.keys()])) {
      const name = running.get(owner)!;
      const place = placeIn(name);
      if (place) await tryRename(join(folders.running, name), again(place));
    }
  };
}

function delayedName(place: TaskPlace, due: number): string {
  return `${String(Math.ceil(due)).padStart(DUE_DIGITS, '0')}-${nameOf(place)}`;
}

function dueOf(name: string): number {
  return Number(name.slice(0, DUE_DIGITS));
}

function runningName(place: TaskPlace, owner: string): string {
  return `${nameOf(place)}.${owner}`;
}

function ownerOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

async function take(path: string, { folders, beats, now }: QueueNeeds): Promise<Claim | null> {
  const place = placeIn(basename(path));
  if (!place) return null;
  const owner = await beats.nextOwner();
  const held = join(folders.running, runningName(place, owner));
  if (!(await tryRename(path, held))) return null;
  beats.beat(owner);
  const task = await readEntry(held, place).catch(async (error: unknown) => {
    // What only can't be read now comes again when its lease is over.
    if (error instanceof NoTask) await tryRemove(held);
    beats.end(owner);
    throw error;
  });
  if (!task) return null;
  return {
    task,
    async renew() {
      if (!(await isThere(held))) return false;
      beats.beat(owner);
      return true;
    },
    async done() {
      await tryRemove(held);
      beats.end(owner);
    },
    async back(delayMs) {
      const next =
        delayMs > 0
          ? join(folders.delayed, delayedName(place, now() + delayMs))
          : join(folders.queue, AGAIN, nameOf(place));
      await tryRename(held, next);
      beats.end(owner);
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
