import { openState, SettingsError, type Toolbox } from '@toolwright/core';
import {
  type AboutApart,
  type ApartFolders,
  createClock,
  createIds,
  createWorkspace,
  messageOf,
  openSessionsApart,
  plural,
  stateFolderPath,
} from '@toolwright/core/front-end';
import { UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withToolbox } from '../../setup/runtime.js';

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

/** A session apart that waits for a review, in a toolbox of its own. */
export interface SavedApart {
  about: AboutApart;
  apart: Toolbox['apart'];
  toolbox: Toolbox;
  signal: AbortSignal;
}

/** Opens what a session apart left, for as long as the work lasts. */
export async function withSaved(
  folders: ApartFolders,
  id: string,
  { args, action }: { args: Arguments; action: string },
  work: (saved: SavedApart) => Promise<number>,
): Promise<number> {
  const about = await folders.about(id);
  requireSameFolder(about, args, action);
  const signal = abortOnInterrupt();
  return withToolbox(inRootsOf(about, args), { front: 'apart' }, async (toolbox) => {
    await toolbox.apart.begin({ id }, signal);
    return work({ about, apart: toolbox.apart, toolbox, signal });
  });
}

/** Rules, settings and trust are those of a folder, so that folder must be the one at hand. */
export function requireSameFolder(
  { id, workspace }: AboutApart,
  { values }: Arguments,
  action: string,
): void {
  if (folderAt(workspace) === null)
    throw new SettingsError(
      `The folder ${workspace}, which the session apart ${id} worked in, is gone. Put it back, or drop the changes: toolwright apart drop ${id}`,
    );
  const here = folderAt(values.get('workspace') ?? '.');
  if (here === workspace) return;
  throw new UsageError(
    `The session apart ${id} worked in ${workspace}. Go there, or name it: toolwright apart ${action} ${id} --workspace ${workspace}`,
  );
}

/** The real path of a folder, or null when there is none. */
function folderAt(path: string): string | null {
  try {
    return createWorkspace({ directory: path }).directory;
  } catch {
    return null;
  }
}

/** The session must see the folders it worked in, whatever the settings say by now. */
function inRootsOf({ workspace, roots }: AboutApart, args: Arguments): Arguments {
  const others = roots.filter((root) => root !== workspace);
  return { ...args, lists: new Map([...args.lists, ['include-directories', others]]) };
}

/** Tells what still waits; a session apart that has nothing left is removed. Returns the number of changes. */
export async function settleRest({ about, apart, signal }: SavedApart): Promise<number> {
  const { review, refused } = await apart.review(signal);
  const count = review.items.length + refused.length;
  if (count === 0) await apart.drop('all', signal);
  else
    warn(
      `${plural(count, 'change')} ${count === 1 ? 'is' : 'are'} still waiting: toolwright apart show ${about.id}`,
    );
  return count;
}
