import { appendFile, mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Engine,
  type EngineTimes,
  type EventKind,
  type FleetEvent,
  isOrder,
  type TableName,
  usualTimes,
} from '../engine.js';
import {
  fileNameOf,
  isCode,
  isTemporary,
  keyOfFileName,
  namesOf,
  removeTemporaries,
  tryRemove,
  tryRename,
  writeWhole,
} from './paths.js';
import { openFileQueue } from './queue.js';
import { openFileTable } from './tables.js';

/** A fleet in a folder of this machine: several processes, nothing to install. */
export async function openFileEngine(root: string, times: EngineTimes = usualTimes): Promise<Engine> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const tables = new Map<TableName, ReturnType<typeof openFileTable>>();
  // All objects share a folder: a folder takes longer to make than a file.
  const objectPath = (name: string): string => join(root, 'objects', fileNameOf(name));
  const events = openEvents(join(root, 'events.jsonl'));
  const now = await sharedClock(root, times.wallClock);
  const { close: closeQueue, ...queue } = openFileQueue(root, times, now);
  return {
    now,
    ...queue,
    table(name) {
      const table = tables.get(name) ?? openFileTable(root, name);
      tables.set(name, table);
      return table;
    },
    objects: {
      put: (name, bytes) => writeWhole(objectPath(name), bytes),
      get: (name) => readFile(objectPath(name)).catch(onlyMissing),
      remove: (name) => tryRemove(objectPath(name)),
      async *names() {
        for (const name of await namesOf(join(root, 'objects')))
          if (!isTemporary(name)) yield keyOfFileName(name);
      },
      tidy: () => removeTemporaries(join(root, 'objects')),
    },
    publish: events.publish,
    listen: events.listen,
    async close() {
      await events.flush();
      await closeQueue();
    },
  };
}

function onlyMissing(error: unknown): null {
  if (isCode(error, 'ENOENT')) return null;
  throw error;
}

/** The clock that stamps files is the same for all processes, also where somebody has moved the one of a process. */
async function sharedClock(root: string, wallClock: () => number = Date.now): Promise<() => number> {
  const path = join(root, 'clock');
  const before = wallClock();
  await writeFile(path, String(process.pid), { mode: 0o600 });
  const ahead = (await stat(path)).mtimeMs - (before + wallClock()) / 2;
  return () => wallClock() + ahead;
}

const LOOK_EVERY_MS = 100;
const MOST_BYTES = 16 * 1024 * 1024;

/** Events as lines of one file; those who listen read on from its end. */
function openEvents(path: string) {
  let last: Promise<void> = Promise.resolve();
  return {
    flush: () => last,
    publish(event: FleetEvent): void {
      last = last
        .then(async () => {
          await appendFile(path, `${JSON.stringify(event)}\n`, { mode: 0o600 });
          if ((await stat(path)).size > MOST_BYTES) await tryRename(path, `${path}.1`);
        })
        .catch(() => undefined);
    },
    async listen(
      onEvent: (event: FleetEvent) => void,
      signal: AbortSignal,
      which: EventKind = 'all',
    ): Promise<void> {
      const hear = (event: FleetEvent): void => {
        if (which === 'all' || isOrder(event)) onEvent(event);
      };
      let at = (await stat(path).catch(() => null))?.size ?? 0;
      let rest = '';
      for (let isOver = false; !isOver; ) {
        // What was told before the end of listening is heard still.
        isOver = signal.aborted;
        if (isOver) await last;
        const size = (await stat(path).catch(() => null))?.size ?? 0;
        if (size < at) [at, rest] = [0, ''];
        if (size > at) {
          const bytes = await readBetween(path, at, size);
          at += bytes.length;
          const lines = (rest + bytes.toString('utf8')).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) tell(line, hear);
        }
        if (!isOver) await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
}

function tell(line: string, onEvent: (event: FleetEvent) => void): void {
  try {
    onEvent(JSON.parse(line) as FleetEvent);
  } catch {
    // A line of a program that was killed while it wrote.
  }
}

async function readBetween(path: string, from: number, to: number): Promise<Buffer> {
  try {
    const handle = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}
