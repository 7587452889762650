import { messageOf, SettingsError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json.js';
import type { Host } from '../host.js';
import { createLocks, type Locks } from './locks.js';
import { readSmallFile } from './read-file.js';
import { replaceFile } from './replace-file.js';
import { inStateFolder, openStateFolder, type StateFolder } from './state-folder.js';
import { type Formats, savedFormats, upgrade } from './versions.js';

const MAX_BYTES = 16 * 1024 * 1024;

/** The state folder with its locks and its versioned JSON files. */
export interface State extends StateFolder, Locks {
  /** The file `<format>.json` in its current version, or null when there is none. Creates nothing. */
  readJson(format: string): Promise<JsonObject | null>;
  /** Reads, changes and replaces the file under its lock; `null` from `change` leaves it as it is. */
  updateJson(
    format: string,
    change: (current: JsonObject | null) => JsonObject | null,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface StateOptions {
  path: string;
  host: Pick<Host, 'clock' | 'ids'>;
  formats?: Formats;
}

/** The saved state below a folder, which is made when something is first written. */
export function openState({ path, host, formats = savedFormats }: StateOptions): State {
  const folder = openStateFolder(path);
  const locks = createLocks(folder, host);

  async function readJson(format: string): Promise<JsonObject | null> {
    if (!(await folder.exists())) return null;
    const where = folder.pathOf(`${format}.json`);
    const bytes = await readSmallFile(where, MAX_BYTES);
    return bytes === null ? null : upgrade(format, parseObject(bytes, where), { where, formats });
  }

  return {
    ...folder,
    ...locks,
    readJson,
    async updateJson(format, change, signal) {
      await locks.withLock(
        format,
        async () => {
          const next = change(await readJson(format));
          if (next === null) return;
          const versioned = { v: formats.versions[format], ...next };
          const text = `${JSON.stringify(versioned, null, 2)}\n`;
          await inStateFolder(path, () => replaceFile(folder.pathOf(`${format}.json`), text));
        },
        signal,
      );
    },
  };
}

function parseObject(bytes: Buffer, where: string): JsonObject {
  let problem = 'it is not an object';
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isJsonObject(value)) return value;
  } catch (error) {
    problem = messageOf(error);
  }
  throw new SettingsError(`${where} can't be read: ${problem}. Repair it, or move it away to start afresh.`);
}
