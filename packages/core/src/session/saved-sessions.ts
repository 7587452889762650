import { basename, join } from 'node:path';
import {
  type FunctionCall,
  type FunctionResponse,
  type Message,
  type Part,
  textOf,
} from '@toolwright/machine/base/content.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { namesIn } from '@toolwright/machine/host/state/inspect-files.js';
import { removeFile, replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import { inStateFolder, type StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { interruptedResponse, isInterrupted } from '../model/interrupted-call.js';
import { projectKey, readJournal, type SavedEntry } from './journal.js';
import { type JournalFile, latestFirst } from './session-order.js';

/** A session as its journal tells of it. */
export interface SavedSession {
  id: string;
  path: string;
  startedAt: string;
  /** When its journal was last written to. */
  updatedAt: string;
  front: string;
  model?: string;
  /** The beginning of the first prompt. */
  title: string;
  messages: number;
  calls: number;
}

interface ResumedSession {
  id: string;
  messages: Message[];
  /** Calls that were running when the program stopped. */
  interrupted: number;
  /** Ids of the calls of the last answer that wait for the user; those are told as interrupted in `messages`. */
  parked: { calls: string[]; seen: [path: string, hash: string][] };
}

const TITLE_LENGTH = 80;

/** The sessions of a workspace that hold a conversation, the one used last first. */
export async function savedSessions(
  state: StateFolder,
  workspace: string,
  signal?: AbortSignal,
): Promise<SavedSession[]> {
  const sessions: SavedSession[] = [];
  for (const journal of latestFirst(await journalsOf(state, workspace))) {
    const session = await summaryOf(journal, signal);
    if (session) sessions.push(session);
  }
  return sessions;
}

/** Finds a session by its id or the beginning of it, or the conversation used last. */
export async function findSession(state: StateFolder, workspace: string, id?: string): Promise<SavedSession> {
  const fitting = (await journalsOf(state, workspace)).filter((path) => basename(path).startsWith(id ?? ''));
  const exact = fitting.filter((path) => basename(path) === `${id}.jsonl`);
  const found: SavedSession[] = [];
  for (const journal of latestFirst(exact.length > 0 ? exact : fitting)) {
    const session = await summaryOf(journal);
    if (session && (id !== undefined || session.messages > 0)) found.push(session);
    if (id === undefined && found.length > 0) break;
  }
  if (found.length === 1) return found[0]!;
  if (id !== undefined && found.length === 0) throw noSuchSession(id);
  const problem =
    id === undefined
      ? 'There is no earlier conversation in this workspace.'
      : `${found.length} session ids begin with ${id}.`;
  throw new SettingsError(`${problem} toolwright sessions list shows them.`);
}

/** Throws when the workspace has no session of this id. */
export async function requireSession(
  { state, workspace }: { state: StateFolder; workspace: { directory: string } },
  id: string,
): Promise<void> {
  const journals = await journalsOf(state, workspace.directory);
  if (!journals.some((path) => basename(path) === `${id}.jsonl`)) throw noSuchSession(id);
}

/** Puts the journal of a session in its place, as another machine has written it; null removes what a killed process has left there. */
export async function putJournal(
  { state, workspace, id }: { state: StateFolder; workspace: string; id: string },
  journal: Uint8Array | null,
): Promise<void> {
  const path = join(await state.make('sessions', projectKey(workspace)), `${id}.jsonl`);
  await inStateFolder(state.path, () => (journal ? replaceFile(path, journal) : removeFile(path)));
}

/** Throws when a session can't have this id. */
export async function requireNewSession(
  { state, workspace }: { state: StateFolder; workspace: { directory: string } },
  id: string,
): Promise<void> {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(id))
    throw new SettingsError(`${JSON.stringify(id)} can't be the id of a session: use letters, digits and -.`);
  const journals = await journalsOf(state, workspace.directory);
  if (journals.some((path) => basename(path) === `${id}.jsonl`))
    throw new SettingsError(
      `There is already a session ${id} in this workspace. Resume it, or choose another id.`,
    );
}

function noSuchSession(id: string): SettingsError {
  return new SettingsError(
    `There is no session ${id} in this workspace. toolwright sessions list shows them.`,
  );
}

/** The conversation so far, whole again: what was answered is kept, what was running is told as interrupted. */
export async function resumeSession(
  { id, path }: Pick<SavedSession, 'id' | 'path'>,
  signal?: AbortSignal,
): Promise<ResumedSession> {
  let messages: Message[] = [];
  // The messages from the latest answer of the model on, with the calls that ended since: an earlier resume may have left a gap.
  let latest: Message[] = [];
  let answered: FunctionResponse[] = [];
  let parked: ResumedSession['parked'] = { calls: [], seen: [] };
  for await (const entry of readJournal(path, signal)) {
    if (entry.type === 'history') [messages, latest, answered] = [repairHistory(entry.messages), [], []];
    if (entry.type === 'call-end') {
      answered.push(entry.response);
      parked.calls = parked.calls.filter((id) => id !== entry.response.id);
    }
    if (entry.type === 'parked') parked = { calls: entry.calls, seen: entry.seen };
    if (entry.type !== 'message') continue;
    parked.calls = [];
    if (entry.message.role === 'model') {
      messages.push(...repairHistory(latest, answered));
      [latest, answered] = [[], []];
    }
    latest.push(entry.message);
  }
  const repaired = repairHistory(latest, answered);
  messages.push(...repaired);
  const interrupted = interruptedCalls(repaired) - interruptedCalls(latest) - parked.calls.length;
  return { id, messages, interrupted, parked };
}

/** The journal as it is, entry by entry. */
export async function entriesOf(
  { path }: Pick<SavedSession, 'path'>,
  signal?: AbortSignal,
): Promise<SavedEntry[]> {
  const entries: SavedEntry[] = [];
  for await (const entry of readJournal(path, signal)) entries.push(entry);
  return entries;
}

export async function journalsOf(state: StateFolder, workspace: string): Promise<string[]> {
  if (!(await state.exists())) return [];
  const folder = state.pathOf('sessions', projectKey(workspace));
  return (await namesIn(folder)).filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
}

/** The beginning of a prompt as it was typed, on one line: what was given with it stands in later parts. */
export function titleOf({ parts }: Message): string {
  const typed = parts.find(({ text }) => text?.trim());
  return textOf(typed ? [typed] : parts)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TITLE_LENGTH);
}

async function summaryOf(
  { path, modifiedMs }: JournalFile,
  signal?: AbortSignal,
): Promise<SavedSession | null> {
  const updatedAt = new Date(modifiedMs).toISOString();
  let session: SavedSession | null = null;
  for await (const entry of readJournal(path, signal)) {
    if (entry.type === 'session-start' && !session) {
      const { sessionId: id, at: startedAt, front, model } = entry;
      session = { id, path, startedAt, updatedAt, front, model, title: '', messages: 0, calls: 0 };
    }
    if (!session) continue;
    if (entry.type === 'call-start') session.calls += 1;
    if (entry.type !== 'message') continue;
    session.messages += 1;
    if (session.title === '' && entry.message.role === 'user') session.title = titleOf(entry.message);
  }
  return session;
}

/**
 * A history in which every call has exactly one response, in call order, and every response a call: what is
 * missing is taken from `answered` or told as interrupted, what nobody asked for is dropped. Providers refuse
 * anything else, and one refused history would end a session for good.
 */
export function repairHistory(
  messages: readonly Message[],
  answered: readonly FunctionResponse[] = [],
): Message[] {
  const repaired: Message[] = [];
  const known = [...answered];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role === 'user') {
      pushUnlessEmpty(repaired, {
        role: 'user',
        parts: message.parts.filter((part) => !part.functionResponse),
      });
      continue;
    }
    pushUnlessEmpty(repaired, message);
    const calls = message.parts.flatMap((part) => part.functionCall ?? []);
    if (calls.length === 0) continue;
    const next = messages[index + 1];
    const given = next?.role === 'user' ? next.parts : [];
    const responses = given.flatMap((part) => part.functionResponse ?? []);
    const answers = calls.map((call) => ({
      functionResponse: take(call, responses) ?? take(call, known) ?? interruptedResponse(call),
    }));
    repaired.push({ role: 'user', parts: [...answers, ...given.filter((part) => !part.functionResponse)] });
    if (next?.role === 'user') index += 1;
  }
  return repaired;
}

/** Number of calls in a repaired history that got no response of their own. */
export function interruptedCalls(messages: readonly Message[]): number {
  return messages
    .flatMap(({ parts }) => parts)
    .filter(({ functionResponse }) => functionResponse && isInterrupted(functionResponse)).length;
}

/** Takes the response to a call, by id where there is one, else by name; each response answers one call. */
function take(call: FunctionCall, responses: FunctionResponse[]): FunctionResponse | undefined {
  const fits = (response: FunctionResponse): boolean =>
    call.id === undefined || call.id === '' ? response.name === call.name : response.id === call.id;
  const index = responses.findIndex(fits);
  return index === -1 ? undefined : responses.splice(index, 1)[0];
}

function pushUnlessEmpty(messages: Message[], message: Message): void {
  if (message.parts.some(hasContent)) messages.push(message);
}

function hasContent(part: Part): boolean {
  return (
    part.text !== '' ||
    part.thought === true ||
    part.thoughtSignature !== undefined ||
    Object.keys(part).length > 1
  );
}
