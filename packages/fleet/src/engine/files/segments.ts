import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoTask, requireEntry } from '../../tasks/is-task.js';
import type { QueueEntry, Task } from '../../tasks/task.js';
import { isCode, namesOf } from './paths.js';

const SEGMENT_SIZE = 1_000;
const LEFT_BEHIND_MS = 3_600_000;

/**
 * Tasks come in segments: one file, flushed once, in which they stand one after the other, and for each a link to it that is
 * renamed from folder to folder. A link costs a tenth of a file of its own.
 */
export async function writeSegments(
  folders: { made: string; queue: string },
  tasks: Iterable<Task> | AsyncIterable<Task>,
): Promise<number> {
  await removeLeftovers(folders.made);
  mkdirSync(folders.queue, { recursive: true, mode: 0o700 });
  let count = 0;
  let segment: Task[] = [];
  for await (const task of tasks) {
    segment.push(task);
    count += 1;
    if (segment.length < SEGMENT_SIZE) continue;
    writeSegment(folders, segment);
    segment = [];
    // Heartbeats of tasks that run in this process have their turn.
    await sleep(0);
  }
  if (segment.length > 0) writeSegment(folders, segment);
  return count;
}

/** Writes a segment, which the renaming makes appear at once. Synchronously: through the thread pool it takes four times as long. */
function writeSegment({ made, queue }: { made: string; queue: string }, tasks: readonly Task[]): void {
  const name = `1-${tasks[0]!.id}-${randomBytes(4).toString('hex')}`;
  const folder = join(made, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const texts = tasks.map((task) => Buffer.from(`${JSON.stringify(task)}\n`));
  const whole = join(folder, 'tasks');
  const file = openSync(whole, 'wx', 0o600);
  try {
    writeSync(file, Buffer.concat(texts));
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  let at = 0;
  for (const [index, { id }] of tasks.entries()) {
    linkTask(whole, folder, { id, at, text: texts[index]! });
    at += texts[index]!.length;
  }
  unlinkSync(whole);
  renameSync(folder, join(queue, name));
}

interface WrittenTask {
  id: string;
  at: number;
  text: Buffer;
}

function linkTask(whole: string, folder: string, { id, at, text }: WrittenTask): void {
  try {
    linkSync(whole, join(folder, nameOf({ id, at, length: text.length })));
  } catch (error) {
    // A file system without links.
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error;
    writeFileSync(join(folder, nameOf({ id, at: 0, length: text.length })), text, { mode: 0o600 });
  }
}

/** Removes files whose writers were killed before they were whole. */
async function removeLeftovers(made: string): Promise<void> {
  for (const name of await namesOf(made)) {
    const found = await stat(join(made, name)).catch(() => null);
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND_MS)
      await rm(join(made, name), { recursive: true, force: true });
  }
}

/** A task by its id, and its place in a file of the queue. */
export interface TaskPlace {
  id: string;
  at: number;
  length: number;
}

export function nameOf({ id, at, length }: TaskPlace): string {
  return `${id}.${at}.${length}.task`;
}

/** Names of tasks that were put off begin with so many digits of their time. */
export const DUE_DIGITS = 15;
const namePattern = new RegExp(`^(?:\\d{${DUE_DIGITS}}-)?([^.]+)\\.(\\d+)\\.(\\d+)\\.task`);

/** The place that a name tells, whatever stands before and after it; null for other files. */
export function placeIn(name: string): TaskPlace | null {
  const [, id, at, length] = namePattern.exec(name) ?? [];
  return id === undefined ? null : { id, at: Number(at), length: Number(length) };
}

/** The entry of a file of the queue; null when the file is gone. Throws `NoTask` where another thing stands there. */
export async function readEntry(path: string, { id, at, length }: TaskPlace): Promise<QueueEntry | null> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (!file) return null;
  try {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    const entry = requireEntry(buffer.toString('utf8'));
    if (entry.id !== id) throw new NoTask(`the entry ${id} of the queue was another task, and was taken out`);
    return entry;
  } finally {
    await file.close();
  }
}
