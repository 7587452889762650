import { readdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../host.js';
import type { StateFolder } from '../state/state-folder.js';

/** What commands of one session find as /tmp. */
export interface TemporaryFolder {
  /** Made with the first question for it. */
  path(): Promise<string>;
  remove(): Promise<void>;
}

export interface TemporaryFolderParts {
  state: Pick<StateFolder, 'make'>;
  clock: Pick<Clock, 'now'>;
  /** Whose it is: the id of a session. */
  owner: string;
}

/** Long enough for every session that could still use one. */
const LEFTOVER_MS = 3 * 24 * 60 * 60_000;

export function createTemporaryFolder({ state, clock, owner }: TemporaryFolderParts): TemporaryFolder {
  let made: Promise<string> | undefined;
  const make = async (): Promise<string> => {
    await removeLeftovers(await state.make('cache', 'tmp'), clock.now());
    return state.make('cache', 'tmp', owner);
  };
  return {
    path: () => (made ??= make()),
    async remove() {
      const path = await made?.catch(() => undefined);
      made = undefined;
      if (path) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

/** Quickly: most starts find nothing. */
export function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return true;
  }
}

/** A session that was killed could not remove its own. */
async function removeLeftovers(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && now - found.mtimeMs > LEFTOVER_MS)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
