import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '../../tasks/task.js';
import type { Claim, EngineTimes } from '../engine.js';
import { openBeats } from './beats.js';
import { isCode, namesOf, tryRemove, tryRename } from './paths.js';

const BUCKET_SIZE = 1_000;
const LOOK_EVERY_MS = 100;
const WAIT_MS = 1_000;

/** One file for each task. Whoever renames it into `running` has it; a task put off waits in `delayed` under its time. */
export interface FileQueue {
  submit(tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number>;
  claim(signal: AbortSignal): Promise<Claim | null>;
  unfinished(): Promise<number>;
  peek(id: string): Promise<Task | null>;
}

export function openFileQueue(root: string, { leaseMs }: EngineTimes): FileQueue {
  const folders = {
    queue: join(root, 'queue'),
    running: join(root, 'running'),
    delayed: join(root, 'delayed'),
  };
  const beats = openBeats(folders.running, leaseMs);
  let known: string[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Paths of some tasks that wait; never more than one bucket is held in memory. */
  async function look(): Promise<void> {
    for (const bucket of (await namesOf(folders.queue)).sort()) {
      const folder = join(folders.queue, bucket);
      known = (await namesOf(folder))
        .filter((name) => name.endsWith('.json'))
        .map((name) => join(folder, name));
      if (known.length > 0) return;
      // Fails where somebody has just put a task there.
      await rmdir(folder).catch(() => undefined);
    }
  }

  async function requeue(from: string, id: string): Promise<boolean> {
    // Sorts before the other buckets: a task that was begun goes on first.
    const folder = join(folders.queue, '0-again');
    for (;;) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        return await tryRename(from, join(folder, `${id}.json`));
      } catch (error) {
        if (!isCode(error, 'ENOENT', 'ENOTDIR')) throw error;
      }
    }
  }

  /** Brings back tasks whose time has come, and those of workers that are gone. */
  async function bringBack(): Promise<void> {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = performance.now();
    for (const name of (await namesOf(folders.delayed)).sort()) {
      const [, due = '0', id = ''] = /^(\d+)-(.*)\.json$/.exec(name) ?? [];
      if (Number(due) > Date.now()) break;
      await requeue(join(folders.delayed, name), id);
    }
    for (const { id, token } of await beats.stale()) {
      if (token === null || (await beats.remove(id, token)))
        await requeue(join(folders.running, `${id}.json`), id);
    }
  }

  async function take(path: string): Promise<Claim | null> {
    const id = /([^/]+)\.json$/.exec(path)![1]!;
    const held = join(folders.running, `${id}.json`);
    if (!(await tryRename(path, held))) return null;
    const token = randomBytes(8).toString('hex');
    const beat = await beats.begin(id, token);
    const task = JSON.parse(await readFile(held, 'utf8')) as Task;
    return {
      task,
      renew: () => beat.renew(),
      async done() {
        if (!(await beat.renew())) return;
        await tryRemove(held);
        await beats.remove(id, token);
      },
      async back(delayMs) {
        if (!(await beat.renew())) return;
        await mkdir(folders.delayed, { recursive: true, mode: 0o700 });
        const due = String(Math.ceil(Date.now() + delayMs)).padStart(15, '0');
        if (delayMs <= 0) await requeue(held, id);
        else await tryRename(held, join(folders.delayed, `${due}-${id}.json`));
        await beats.remove(id, token);
      },
    };
  }

  return {
    submit: (tasks) => writeTasks(folders.queue, tasks),
    async claim(signal) {
      await mkdir(folders.running, { recursive: true, mode: 0o700 });
      const until = performance.now() + WAIT_MS;
      while (!signal.aborted) {
        await bringBack();
        for (let path = known.shift(); path; path = known.shift()) {
          const claim = await take(path);
          if (claim) return claim;
        }
        await look();
        if (known.length > 0) continue;
        if (performance.now() > until) return null;
        await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      }
      return null;
    },
    async unfinished() {
      const running = (await namesOf(folders.running)).filter((name) => name.endsWith('.json'));
      let count = (await namesOf(folders.delayed)).length + running.length;
      for (const bucket of await namesOf(folders.queue))
        count += (await namesOf(join(folders.queue, bucket))).length;
      return count;
    },
    async peek(id) {
      const buckets = (await namesOf(folders.queue)).map((bucket) =>
        join(folders.queue, bucket, `${id}.json`),
      );
      const delayed = (await namesOf(folders.delayed)).filter((name) => name.endsWith(`-${id}.json`));
      for (const path of [
        ...buckets,
        ...delayed.map((name) => join(folders.delayed, name)),
        join(folders.running, `${id}.json`),
      ]) {
        const text = await readFile(path, 'utf8').catch(() => null);
        if (text !== null) return JSON.parse(text) as Task;
      }
      return null;
    },
  };
}

/** Synchronously: a hundred thousand small files take four times as long through the thread pool. */
async function writeTasks(queue: string, tasks: Iterable<Task> | AsyncIterable<Task>): Promise<number> {
  let [count, bucket] = [0, ''];
  for await (const task of tasks) {
    if (count % BUCKET_SIZE === 0) {
      bucket = join(queue, `1-${task.id}`);
      mkdirSync(bucket, { recursive: true, mode: 0o700 });
      await sleep(0);
    }
    const text = JSON.stringify(task);
    const path = join(bucket, `${task.id}.json`);
    try {
      writeFileSync(path, text, { mode: 0o600 });
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
      mkdirSync(bucket, { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode: 0o600 });
    }
    count += 1;
  }
  return count;
}
