import { dirname } from 'node:path';
import { InUseError } from '@toolwright/machine/base/errors.js';
import type { ApartFolders } from '@toolwright/machine/host/apart/apart-folders.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Log } from '@toolwright/machine/host/host.js';
import { isEmptyFolder } from '@toolwright/machine/host/leases/owned-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import { removeEmptyFolder } from '@toolwright/machine/host/state/replace-file.js';
import type { State } from '@toolwright/machine/host/state/state.js';

/** The sessions apart that wait on disk for a review. */
export async function openSessionsApart(state: State): Promise<ApartFolders> {
  const { openApartFolders } = await import('@toolwright/machine/host/apart/apart-folders.js');
  return openApartFolders({ state, clock: createClock(), ids: createIds() });
}

/** Sentences about sessions apart that nobody came back to. Whoever has none pays for one look at a folder. */
export async function remarksOnSessionsApart(state: State, log: Pick<Log, 'error'>): Promise<string[]> {
  if (isEmptyFolder(state.pathOf('apart'))) return [];
  const folders = await openSessionsApart(state);
  const { warnings, shortLived } = await folders.look();
  for (const { id, session } of shortLived) {
    try {
      // The view names its session: it goes last, so that the next start finds what this one could not remove.
      await forget(state, session);
      await folders.remove(id);
    } catch (error) {
      // Whoever has it open keeps it.
      if (!(error instanceof InUseError)) log.error(`what a killed program left in ${id} stays`, error);
    }
  }
  return warnings;
}

const FORGET_LIMIT_MS = 10_000;

/** Removes the journal of a session whose workspace is gone. */
async function forget(state: State, id: string): Promise<void> {
  const { deleteSession, journalOfSession } = await import('../session/session-list.js');
  const path = await journalOfSession(state, id);
  if (path === null) return;
  await deleteSession(state, { id, path }, deadlineIn(FORGET_LIMIT_MS));
  await removeEmptyFolder(dirname(path));
}

/** The id of what a session left apart, or null. */
export async function apartOfSession(state: State, session: string): Promise<string | null> {
  if (isEmptyFolder(state.pathOf('apart'))) return null;
  return (await openSessionsApart(state)).ofSession(session);
}
