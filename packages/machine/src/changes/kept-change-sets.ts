import { join } from 'node:path';
import { isJsonObject } from '../base/json.js';
import { makePrivateFolder, namesIn, readText, removeFile } from '../host/objects/image-file.js';
import { replaceFile } from '../host/state/replace-file.js';
import type { StateFolder } from '../host/state/state-folder.js';
import type { ChangeSet } from './change-set.js';

/** Committed change sets in the state folder, so that another process can undo them by their ids. */
export interface KeptChangeSets {
  /** May be called twice for the same set. */
  save(changeSet: ChangeSet): Promise<void>;
  /** Null when there is none of this id, or no longer. */
  read(id: string): Promise<ChangeSet | null>;
}

/** Ids sort by time, so the oldest go first. */
const MOST_KEPT = 1_000;

export function openKeptChangeSets(state: Pick<StateFolder, 'pathOf'>): KeptChangeSets {
  const folder = state.pathOf('stage', 'kept');
  return {
    async save(changeSet) {
      await makePrivateFolder(folder);
      await replaceFile(join(folder, `${changeSet.id}.json`), `${JSON.stringify(changeSet)}\n`);
      const names = await namesIn(folder);
      for (const name of names.slice(0, Math.max(0, names.length - MOST_KEPT)))
        await removeFile(join(folder, name));
    },
    async read(id) {
      if (!/^[0-9a-z-]+$/.test(id)) return null;
      const text = await readText(join(folder, `${id}.json`)).catch(() => 'null');
      const value: unknown = JSON.parse(text);
      return isJsonObject(value) && value['v'] === 1 ? (value as unknown as ChangeSet) : null;
    },
  };
}
