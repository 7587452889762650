import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClock, createIds, deadlineIn, openState } from '@toolwright/core';
import type { Row, Table } from '../engine.js';
import { fileNameOf, keyOfFileName, namesOf, tryRemove, writeWhole } from './paths.js';

const LOCK_LIMIT_MS = 30_000;

/** One file for each row; a lock makes reading, comparing and writing one step. */
export function openFileTable(root: string, name: string): Table {
  const folder = join(root, 'tables', name);
  const pathOf = (key: string): string => join(folder, `${fileNameOf(key)}.json`);
  const state = openState({ path: join(root, 'locks'), host: { clock: createClock(), ids: createIds() } });

  async function get(key: string): Promise<Row | null> {
    const text = await readFile(pathOf(key), 'utf8').catch(() => null);
    return text === null ? null : (JSON.parse(text) as Row);
  }

  return {
    get,
    put: (key, value, revision) =>
      state.withLock(
        `${name}-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
        async () => {
          const present = await get(key);
          if ((present?.revision ?? null) !== revision) return null;
          const next = (revision ?? 0) + 1;
          await writeWhole(pathOf(key), JSON.stringify({ value, revision: next } satisfies Row));
          return next;
        },
        deadlineIn(LOCK_LIMIT_MS),
      ),
    remove: (key) => tryRemove(pathOf(key)),
    async *entries() {
      for (const file of await namesOf(folder)) {
        if (!file.endsWith('.json')) continue;
        const key = keyOfFileName(file.slice(0, -'.json'.length));
        const row = await get(key);
        if (row) yield [key, row.value];
      }
    },
  };
}
