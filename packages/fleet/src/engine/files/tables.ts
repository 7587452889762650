import { createHash, randomBytes } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openState } from '@toolwright/core';
import { createClock, createIds, deadlineIn } from '@toolwright/core/front-end';
import type { Row, Table } from '../engine.js';
import { fileNameOf, isCode, keyOfFileName, makeParent, namesOf, tryRemove, writeWhole } from './paths.js';

const LOCK_LIMIT_MS = 30_000;
const MOST_BYTES = 64 * 1024;
const ROWS_AT_ONCE = 200;
const SUFFIX = '.row';

/**
 * A row is a file of lines. Each says which revision it follows, and the first one that follows a revision counts. A line is
 * appended in one step, so of several who write at once one is first, without a lock and without a new file.
 */
interface Line {
  after: number | null;
  revision: number;
  value: unknown;
  /** Tells a writer which line is its own. */
  by: string;
  /** True if nothing after this line counts: the file is long, and is replaced by one that begins with this value. */
  isLast: boolean;
  /** True if there is no row any more: the file is removed. */
  isGone?: true;
}

export function openFileTable(root: string, name: string): Table {
  const folder = join(root, 'tables', name);
  const pathOf = (key: string): string => join(folder, `${fileNameOf(key)}${SUFFIX}`);
  const shorten = createShortening(root);
  return {
    async get(key) {
      return rowIn(await readFile(pathOf(key)).catch(nothingThere));
    },
    async put(key, value, revision) {
      const path = pathOf(key);
      for (;;) {
        const file = await openRow(path, revision === null);
        if (!file) return null;
        try {
          const present = linesThatCount(await readWhole(file)).at(-1);
          if (!present?.isLast) {
            if ((present?.revision ?? null) !== revision) return null;
            return await append(file, { value, after: revision });
          }
        } finally {
          await file.close();
        }
        await shorten(path);
      }
    },
    remove: (key, revision) => removeRow(pathOf(key), revision, shorten),
    async *entries() {
      for (const [index, file] of (await namesOf(folder)).entries()) {
        if (index % ROWS_AT_ONCE === 0) await nextTurn();
        if (!file.endsWith(SUFFIX)) continue;
        const row = rowIn(readFileSync(join(folder, file)));
        if (row) yield [keyOfFileName(file.slice(0, -SUFFIX.length)), row.value];
      }
    },
  };
}

/** A last line says that there is no row any more, before the file goes: nobody writes into one that is gone. */
async function removeRow(
  path: string,
  revision: number,
  shorten: (path: string) => Promise<void>,
): Promise<boolean> {
  for (;;) {
    const file = await openRow(path, false);
    if (!file) return false;
    let isLong = false;
    try {
      const present = linesThatCount(await readWhole(file)).at(-1);
      if (present?.isGone || present?.revision !== revision) return false;
      isLong = present.isLast;
      if (!isLong && (await append(file, { after: revision, isGone: true })) === null) return false;
    } finally {
      await file.close();
    }
    await shorten(path);
    if (!isLong) return true;
  }
}

/** The new revision, or null where another line was first. */
async function append(
  file: FileHandle,
  { value = null, after, isGone }: Pick<Line, 'after' | 'isGone'> & { value?: unknown },
): Promise<number | null> {
  const { size } = await file.stat();
  const revision = after === null ? firstRevision() : after + 1;
  const by = randomBytes(8).toString('hex');
  const line: Line = { after, revision, value, by, isLast: isGone === true || size > MOST_BYTES, isGone };
  // The break in front ends the line of a program that was killed while it wrote.
  const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw new Error('there is no room left on the disk');
  await file.datasync();
  return linesThatCount(await readWhole(file)).some((each) => each.by === by) ? revision : null;
}

/** At random, so that nobody takes a new row for one of the same key that was removed. */
function firstRevision(): number {
  return randomBytes(6).readUIntBE(0, 6);
}

function linesThatCount(bytes: Buffer): Line[] {
  const counted: Line[] = [];
  for (const text of bytes.toString('utf8').split('\n')) {
    const line = parsed(text);
    const last = counted.at(-1);
    if (line && !last?.isLast && line.after === (last?.revision ?? null)) counted.push(line);
  }
  return counted;
}

function parsed(text: string): Line | null {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}

function rowIn(bytes: Buffer): Row | null {
  const line = linesThatCount(bytes).at(-1);
  return line && !line.isGone ? { value: line.value, revision: line.revision } : null;
}

/** Replaces a row whose last line stands by one that begins with its value, or removes it. */
function createShortening(root: string): (path: string) => Promise<void> {
  const state = openState({ path: join(root, 'locks'), host: { clock: createClock(), ids: createIds() } });
  return (path) =>
    state.withLock(
      createHash('sha256').update(path).digest('hex').slice(0, 32),
      async () => {
        const line = linesThatCount(await readFile(path).catch(nothingThere)).at(-1);
        if (!line?.isLast) return;
        if (line.isGone) return tryRemove(path);
        const first: Line = { ...line, after: null, isLast: false };
        await writeWhole(path, `${JSON.stringify(first)}\n`);
      },
      deadlineIn(LOCK_LIMIT_MS),
    );
}

/** Null where there is no row and none is to be made. */
async function openRow(path: string, isNew: boolean): Promise<FileHandle | null> {
  try {
    return await open(path, isNew ? 'a+' : constants.O_RDWR | constants.O_APPEND, 0o600);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    if (!isNew) return null;
    await makeParent(path);
    return open(path, 'a+', 0o600);
  }
}

async function readWhole(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

function nothingThere(error: unknown): Buffer {
  if (isCode(error, 'ENOENT')) return Buffer.alloc(0);
  throw error;
}
