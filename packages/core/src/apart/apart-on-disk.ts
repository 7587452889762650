import type { ApartFolders } from '@toolwright/machine/host/apart/apart-folders.js';
import { isEmptyFolder } from '@toolwright/machine/host/leases/owned-folder.js';
import { createClock, createIds } from '@toolwright/machine/host/node-host.js';
import type { State } from '@toolwright/machine/host/state/state.js';

/** The sessions apart that wait on disk for a review. */
export async function openSessionsApart(state: State): Promise<ApartFolders> {
  const { openApartFolders } = await import('@toolwright/machine/host/apart/apart-folders.js');
  return openApartFolders({ state, clock: createClock(), ids: createIds() });
}

/** Sentences about sessions apart that nobody came back to. Whoever has none pays for one look at a folder. */
export async function remarksOnSessionsApart(state: State): Promise<string[]> {
  if (isEmptyFolder(state.pathOf('apart'))) return [];
  return (await openSessionsApart(state)).warnings();
}

/** The id of what a session left apart, or null. */
export async function apartOfSession(state: State, session: string): Promise<string | null> {
  if (isEmptyFolder(state.pathOf('apart'))) return null;
  return (await openSessionsApart(state)).ofSession(session);
}
