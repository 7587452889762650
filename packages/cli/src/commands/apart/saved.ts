import {
  type ApartFolders,
  createClock,
  createIds,
  messageOf,
  openSessionsApart,
  openState,
  stateFolderPath,
} from '@toolwright/core';
import { UsageError } from '../../base/exit-codes.js';

export function openFolders(): Promise<ApartFolders> {
  const host = { clock: createClock(), ids: createIds() };
  return openSessionsApart(openState({ path: stateFolderPath(process.env), host }));
}

/** The whole id of the session apart that a command names. */
export async function idNamed(
  folders: ApartFolders,
  id: string | undefined,
  action: string,
): Promise<string> {
  if (id === undefined)
    throw new UsageError(
      `apart ${action} needs the id of a session apart; toolwright apart list shows them.`,
    );
  try {
    return await folders.find(id);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
