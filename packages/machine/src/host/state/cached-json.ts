import { type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { sha256OfText } from '../../base/digest/sha256.js';
import { isJsonObject, type JsonObject } from '../../base/json.js';
import { readOwnFile } from './read-file.js';
import { replaceFile } from './replace-file.js';
import type { StateFolder } from './state-folder.js';

/**
 * A JSON value kept in the state folder's `cache/`; what is damaged, not written by us alone or can't be written counts
 * as not there.
 */
export interface CachedJson {
  read(): Promise<JsonObject | null>;
  write(value: JsonObject): Promise<void>;
}

export function openCachedJson(
  state: Pick<StateFolder, 'pathOf' | 'make'>,
  kind: string,
  key: string,
): CachedJson {
  const name = `${sha256OfText(key).slice(0, 32)}.json`;
  return {
    async read() {
      try {
        const bytes = await readOwnFile(state.pathOf(), 'cache', kind, name);
        const value: unknown = bytes === null ? null : JSON.parse(bytes.toString('utf8'));
        return isJsonObject(value) && value['v'] === 1 && value['key'] === key ? value : null;
      } catch {
        return null;
      }
    },
    async write(value) {
      try {
        await replaceFile(
          join(await state.make('cache', kind), name),
          JSON.stringify({ ...value, v: 1, key }),
        );
      } catch {
        // The next time is slower, that is all.
      }
    },
  };
}

/** Path, size and time of change of each file that a word names, in the folder or as a program of the PATH. */
export function fileStamps(words: readonly string[], directory: string, path = ''): string[] {
  const places = path.split(delimiter).filter(isAbsolute);
  const candidates = words.flatMap((word, index) => [
    resolve(directory, word),
    ...(index === 0 && !word.includes('/') ? places.map((place) => join(place, word)) : []),
  ]);
  return candidates.flatMap((candidate) => {
    const found = statOrNull(candidate);
    return found?.isFile() ? [`${candidate} ${found.size} ${found.mtimeMs}`] : [];
  });
}

/** A word may be anything, such as a program of many lines. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
