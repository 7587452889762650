import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../host.js';
import type { StateFolder } from '../state/state-folder.js';
import { makeStageFolder, type StageFolder, sweepStageFolders } from './stage-folder.js';

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

export function createTemporaryFolder({ state, clock, owner }: TemporaryFolderParts): TemporaryFolder {
  let made: Promise<StageFolder> | undefined;
  const make = async (): Promise<StageFolder> => {
    const folder = await state.make('cache', 'tmp');
    // A session that was killed could not remove its own.
    await sweepStageFolders(folder, { now: clock.now() });
    const mine = await makeStageFolder(folder, `${owner}-${process.pid}-${randomBytes(4).toString('hex')}`);
    // Whose it is stands beside it, where no command can change that.
    mkdirSync(insideOf(mine), { mode: 0o700 });
    return mine;
  };
  return {
    async path() {
      made ??= make();
      const mine = made;
      return insideOf(
        await mine.catch((error: unknown) => {
          // A disk may have room again by the next command.
          if (made === mine) made = undefined;
          throw error;
        }),
      );
    },
    async remove() {
      const folder = await made?.catch(() => undefined);
      made = undefined;
      await folder?.remove().catch(() => undefined);
    },
  };
}

function insideOf({ path }: StageFolder): string {
  return join(path, 'tmp');
}

/** Quickly: most starts find nothing. */
export function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return true;
  }
}
