import { chmodSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNodeError, orNull } from '../../../base/errors.js';
import { replaceFile } from '../../state/replace-file.js';
import { inStateFolder, type StateFolder } from '../../state/state-folder.js';
import { seccompFilter } from './seccomp.js';

/** Files in the state folder that every sandbox uses. */
export interface OwnFiles {
  /** An empty file that nobody may read. */
  unreadable: string;
  /** The system call filter; null where there is none for this processor. */
  filter: string | null;
}

export async function prepareOwnFiles(state: StateFolder, architecture: string): Promise<OwnFiles> {
  const folder = await state.make('cache', 'sandbox');
  const unreadable = join(folder, 'unreadable');
  makeUnreadable(unreadable);
  const bytes = seccompFilter(architecture);
  if (bytes === null) return { unreadable, filter: null };
  const filter = join(folder, `system-calls-${architecture}`);
  if (!orNull(() => readFileSync(filter))?.equals(bytes))
    await inStateFolder(state.path, () => replaceFile(filter, bytes));
  return { unreadable, filter };
}

function makeUnreadable(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === 0 && (found.mode & 0o777) === 0) return;
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0 });
  } catch (error) {
    if (!isNodeError(error, 'EEXIST')) throw error;
    chmodSync(path, 0);
  }
}
