import { dirname } from 'node:path';
import type { ApartFolders } from '@toolwright/machine/host/apart/apart-folders.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
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
export async function remarksOnSessionsApart(state: State): Promise<string[]> {
  if (isEmptyFolder(state.pathOf('apart'))) return [];
  const folders = await openSessionsApart(state);
  for (const session of await folders.removeShortLived()) await forget(state, session);
  return folders.warnings();
}

const FORGET_LIMIT_MS = 10_000;

/** Removes the journal of a session whose workspace is gone. */
async function forget(state: State, id: string): Promise<void> {
  const { deleteSession, sessionOfId } = await import('../session/session-list.js');
  const session = await sessionOfId(state, id);
  if (!session) return;
  // Whoever has it open keeps it.
  await deleteSession(state, session, deadlineIn(FORGET_LIMIT_MS)).catch(() => undefined);
  await removeEmptyFolder(dirname(session.path));
}

/** The id of what a session left apart, or null. */
export async function apartOfSession(state: State, session: string): Promise<string | null> {
  if (isEmptyFolder(state.pathOf('apart'))) return null;
  return (await openSessionsApart(state)).ofSession(session);
}
