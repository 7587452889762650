import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../host.js';
import type { StateFolder } from '../state/state-folder.js';
import { makeOwnedFolder, type OwnedFolder, sweepOwnedFolders } from './owned-folder.js';

/** The folder that commands of one session find as /tmp. */
export interface TemporaryFolder {
  /** Made when it is first asked for. */
  path(): Promise<string>;
  remove(): Promise<void>;
}

export interface TemporaryFolderOptions {
  state: Pick<StateFolder, 'make'>;
  clock: Pick<Clock, 'now'>;
  /** Whose it is: the id of a session. */
  owner: string;
}

export function createTemporaryFolder({ state, clock, owner }: TemporaryFolderOptions): TemporaryFolder {
  let made: Promise<OwnedFolder> | undefined;
  const make = async (): Promise<OwnedFolder> => {
    const folder = await state.make('cache', 'tmp');
    // A session that was killed could not remove its own.
    await sweepOwnedFolders(folder, { now: clock.now() });
    const mine = await makeOwnedFolder(folder, `${owner}-${process.pid}-${randomBytes(4).toString('hex')}`);
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

function insideOf({ path }: OwnedFolder): string {
  return join(path, 'tmp');
}
