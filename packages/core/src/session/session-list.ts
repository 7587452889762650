import { basename, join } from 'node:path';
import { InUseError } from '@toolwright/machine/base/errors.js';
import { removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import type { Locks } from '@toolwright/machine/host/state/locks.js';
import { removeFile } from '@toolwright/machine/host/state/replace-file.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { readJournal } from './journal.js';
import { journalsOf, titleOf } from './saved-sessions.js';
import { isEarlier, type JournalFile, latestFirst } from './session-order.js';

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
  /** The `next` of the page before. */
  after?: string;
  most?: number;
}

const PAGE = 50;

/** Conversations, the one used last first, page by page; of all workspaces unless one is named. */
export async function listSessions(
  state: StateFolder,
  { workspace, after, most = PAGE }: SessionPageOptions,
  signal?: AbortSignal,
): Promise<SessionPage> {
  const journals = workspace === undefined ? await allJournals(state) : await journalsOf(state, workspace);
  const end = after === undefined ? null : endOfPage(after);
  const sessions: ListedSession[] = [];
  let next = '';
  for (const journal of latestFirst(journals)) {
    if (end && !isEarlier(journal, end)) continue;
    const listed = await listedSession(journal, signal);
    if (!listed) continue;
    if (sessions.length === most) return { sessions, next };
    sessions.push(listed);
    next = `${journal.usedMs}:${journal.id}`;
  }
  return { sessions };
}

function endOfPage(after: string): Pick<JournalFile, 'id' | 'usedMs'> {
  const [moment = '', id = ''] = after.split(':');
  return { usedMs: Number(moment), id };
}

/** The session of this very id, in whatever workspace; null when there is none. */
export async function sessionOfId(state: StateFolder, id: string): Promise<ListedSession | null> {
  const path = await journalOfSession(state, id);
  const [journal] = latestFirst(path === null ? [] : [path]);
  return journal ? listedSession(journal) : null;
}

/** The journal of the session of this very id, whatever it holds; null when there is none. */
export async function journalOfSession(state: StateFolder, id: string): Promise<string | null> {
  return (await allJournals(state)).find((each) => basename(each) === `${id}.jsonl`) ?? null;
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
async function listedSession(
  { id, path, modifiedMs: updatedMs }: JournalFile,
  signal?: AbortSignal,
): Promise<ListedSession | null> {
  let workspace: string | null = null;
  for await (const entry of readJournal(path, signal)) {
    if (entry.type === 'session-start') workspace = entry.workspace;
    if (entry.type !== 'message' || entry.message.role !== 'user' || workspace === null) continue;
    return { id, path, workspace, title: titleOf(entry.message), updatedMs };
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
  if ('heldBy' in hold) throw new InUseError(`The session ${id} is in use by ${hold.heldBy}.`);
  try {
    await removeTree(state.pathOf('output', id));
    await removeFile(path);
  } finally {
    hold.release();
  }
}
