import { basename, join } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import { lookAtSync, namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { Locks } from '@toolwright/machine/host/state/locks.js';
import { removeFile } from '@toolwright/machine/host/state/replace-file.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { readJournal } from './journal.js';
import { journalsOf, titleOf } from './saved-sessions.js';

/** A session as a list shows it: read no further than its title. */
export interface ListedSession {
  id: string;
  path: string;
  workspace: string;
  title: string;
  /** Milliseconds since 1970 of the last entry. */
  updatedMs: number;
}

/** A part of the list of sessions. */
export interface SessionPage {
  sessions: ListedSession[];
  /** The `after` of the next page; absent on the last one. */
  next?: string;
}

/** The part of the list of sessions that is wanted. */
export interface SessionPageOptions {
  /** The folder, for sessions of this one alone. */
  workspace?: string;
  /** The id of the last session of the page before. */
  after?: string;
  most?: number;
}

const PAGE = 50;

/** Conversations, the newest first, page by page; of all workspaces unless one is named. */
export async function listSessions(
  state: StateFolder,
  { workspace, after, most = PAGE }: SessionPageOptions,
  signal?: AbortSignal,
): Promise<SessionPage> {
  const journals = workspace === undefined ? await allJournals(state) : await journalsOf(state, workspace);
  const byId = journals.map((path) => ({ id: basename(path, '.jsonl'), path }));
  byId.sort((left, right) => (left.id < right.id ? 1 : -1));
  const sessions: ListedSession[] = [];
  for (const { id, path } of byId) {
    if (after !== undefined && id >= after) continue;
    const listed = await listedSession(path, signal);
    if (!listed) continue;
    if (sessions.length === most) return { sessions, next: sessions.at(-1)!.id };
    sessions.push(listed);
  }
  return { sessions };
}

/** The session of this very id, in whatever workspace; null when there is none. */
export async function sessionOfId(state: StateFolder, id: string): Promise<ListedSession | null> {
  const path = (await allJournals(state)).find((each) => basename(each) === `${id}.jsonl`);
  return path === undefined ? null : listedSession(path);
}

/** The journals of all workspaces, by their paths. */
export async function allJournals(state: StateFolder): Promise<string[]> {
  if (!(await state.exists())) return [];
  const folder = state.pathOf('sessions');
  const found = await Promise.all(
    (await namesIn(folder)).map(async (project) =>
      (await namesIn(join(folder, project))).map((name) => join(folder, project, name)),
    ),
  );
  return found.flat().filter((path) => path.endsWith('.jsonl'));
}

/** Null for what holds no conversation. */
async function listedSession(path: string, signal?: AbortSignal): Promise<ListedSession | null> {
  let workspace: string | null = null;
  for await (const entry of readJournal(path, signal)) {
    if (entry.type === 'session-start') workspace = entry.workspace;
    if (entry.type !== 'message' || entry.message.role !== 'user' || workspace === null) continue;
    const updatedMs = lookAtSync(path)?.modifiedMs ?? 0;
    return { id: basename(path, '.jsonl'), path, workspace, title: titleOf(entry.message), updatedMs };
  }
  return null;
}

/**
 * Removes a conversation with its journal and its kept output; what its calls did to files stays, and can no longer be
 * undone. Refused while a program has it open.
 */
export async function deleteSession(
  state: StateFolder & Pick<Locks, 'hold'>,
  { id, path }: Pick<ListedSession, 'id' | 'path'>,
  signal: AbortSignal,
): Promise<void> {
  const hold = await state.hold(`session-${id}`, signal);
  if ('heldBy' in hold) throw new SettingsError(`The session ${id} is in use by ${hold.heldBy}.`);
  try {
    await removeTree(state.pathOf('output', id));
    await removeFile(path);
  } finally {
    hold.release();
  }
}
