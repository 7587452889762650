import { join } from 'node:path';
import { type JsonObject, jsonObjectIn } from '../../base/json.js';
import type { Clock } from '../host.js';
import { lookAtSync, namesInSync } from './inspect-files.js';
import { readOwnFile } from './read-file.js';
import { removeFile, replaceFile } from './replace-file.js';
import type { StateFolder } from './state-folder.js';

/** JSON values below the state folder's `mcp/` that nobody needs for long: the oldest go first, and all go with time. */
export interface ShortLivedFiles {
  /** Null when there is none, when it is too old, and when it was not written by us alone. */
  read(name: string): Promise<JsonObject | null>;
  write(name: string, value: JsonObject): Promise<void>;
}

export interface ShortLivedOptions {
  folder: string;
  most: number;
  ttlMs: number;
  clock: Pick<Clock, 'now'>;
}

export function openShortLivedFiles(
  state: Pick<StateFolder, 'path' | 'make'>,
  { folder, most, ttlMs, clock }: ShortLivedOptions,
): ShortLivedFiles {
  const isOld = (modifiedMs: number): boolean => clock.now() - modifiedMs >= ttlMs;

  async function makeRoom(path: string, name: string): Promise<void> {
    const others = namesInSync(path)
      .filter((each) => each !== name)
      .map((each) => ({ path: join(path, each), modifiedMs: lookAtSync(join(path, each))?.modifiedMs ?? 0 }))
      .toSorted((left, right) => right.modifiedMs - left.modifiedMs);
    for (const [index, other] of others.entries())
      if (index >= most - 1 || isOld(other.modifiedMs)) await removeFile(other.path);
  }

  return {
    async read(name) {
      const modifiedMs = lookAtSync(join(state.path, 'mcp', folder, name))?.modifiedMs;
      if (modifiedMs === undefined || isOld(modifiedMs)) return null;
      const bytes = await readOwnFile(state.path, 'mcp', folder, name);
      return bytes && jsonObjectIn(bytes.toString('utf8'));
    },
    async write(name, value) {
      const path = await state.make('mcp', folder);
      await makeRoom(path, name);
      await replaceFile(join(path, name), JSON.stringify(value));
    },
  };
}
