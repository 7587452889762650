import type { SavedEntry, State } from '@toolwright/core';
import { entriesFrom, everyJournal, type JournalFile } from '@toolwright/core/front-end';
import type { SearchHit, SessionRow } from '../../wire/wire.js';
import { briefOf } from './timeline.js';

/** The sessions of all workspaces, read again only where a journal has grown. */
export interface SessionIndex {
  list(search: string, signal?: AbortSignal): Promise<SessionRow[]>;
  find(id: string): Promise<JournalFile>;
}

interface Indexed {
  next: number;
  row: SessionRow;
  texts: SearchHit[];
  characters: number;
}

const TITLE_LENGTH = 120;
const MOST_HITS = 5;
/** The beginning of a text that a search sees, and the part of a session. */
const LONGEST_TEXT = 4_000;
const MOST_INDEXED = 2_000_000;

export function createSessionIndex(state: State): SessionIndex {
  const known = new Map<string, Indexed>();

  async function look(journal: JournalFile, signal?: AbortSignal): Promise<Indexed> {
    const { id, path, bytes, modifiedMs } = journal;
    let found = known.get(path);
    if (!found || found.next > bytes) found = { next: 0, row: emptyRow(id), texts: [], characters: 0 };
    if (found.next < bytes) {
      const { entries, next } = await entriesFrom(path, found.next, signal);
      found.next = next;
      for (const entry of entries) index(entry, found);
    }
    found.row.bytes = bytes;
    found.row.endedAt = new Date(modifiedMs).toISOString();
    known.set(path, found);
    return found;
  }

  return {
    async list(search, signal) {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean);
      const rows: SessionRow[] = [];
      for (const journal of await everyJournal(state)) {
        const { row, texts } = await look(journal, signal);
        // Examinations of the doctor work inside the state folder.
        if (row.workspace === '' || row.workspace.startsWith(`${state.path}/`)) continue;
        const hits = words.length > 0 ? hitsOf(texts, words) : undefined;
        if (hits === undefined || hits.length > 0) rows.push(hits ? { ...row, hits } : row);
      }
      return rows;
    },
    async find(id) {
      const found = (await everyJournal(state)).find((journal) => journal.id === id);
      if (!found) throw new NotFound(`There is no session ${id}.`);
      return found;
    },
  };
}

/** The thing asked for is not there; the message is for the user. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

function emptyRow(id: string): SessionRow {
  return {
    id,
    workspace: '',
    startedAt: '',
    endedAt: '',
    front: '',
    title: '',
    messages: 0,
    calls: 0,
    bytes: 0,
  };
}

function index(entry: SavedEntry, { row, ...found }: Indexed): void {
  if (entry.type === 'session-start' && row.workspace === '') {
    const { workspace, at, front, model } = entry;
    Object.assign(row, { workspace, startedAt: at, front, model });
  }
  if (entry.type === 'call-start') row.calls += 1;
  if (entry.type === 'message') row.messages += 1;
  for (const hit of textsOf(entry)) {
    if (row.title === '' && hit.in === 'prompt')
      row.title = hit.text.replace(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH);
    if (found.characters > MOST_INDEXED) return;
    found.characters += hit.text.length;
    found.texts.push(hit);
  }
}

function textsOf(entry: SavedEntry): SearchHit[] {
  if (entry.type === 'call-start') {
    const { callId, args } = entry;
    const place =
      typeof args['command'] === 'string' ? 'command' : 'file' in args || hasPath(args) ? 'file' : 'call';
    return [{ in: place, text: briefOf(args), callId }];
  }
  if (entry.type !== 'message') return [];
  const { role, parts } = entry.message;
  if (role === 'user' && parts.some(({ functionResponse }) => functionResponse)) return [];
  // Files that are given with a prompt stand behind it.
  const said = role === 'user' ? parts.slice(0, 1) : parts;
  return said.flatMap(({ text, thought }) =>
    text === undefined || thought
      ? []
      : [{ in: role === 'user' ? 'prompt' : 'answer', text: text.slice(0, LONGEST_TEXT) } as const],
  );
}

function hasPath(args: Record<string, unknown>): boolean {
  return ['file_path', 'absolute_path', 'path', 'paths'].some((name) => name in args);
}

/** A session is found when each word is somewhere in it; the places with the most words come first. */
function hitsOf(texts: readonly SearchHit[], words: readonly string[]): SearchHit[] {
  const missing = new Set(words);
  const scored: { hit: SearchHit; score: number }[] = [];
  for (const hit of texts) {
    const text = hit.text.toLowerCase();
    const found = words.filter((word) => text.includes(word));
    for (const word of found) missing.delete(word);
    if (found.length > 0) scored.push({ hit: excerpt(hit, text.indexOf(found[0]!)), score: found.length });
  }
  if (missing.size > 0) return [];
  const different = new Map(scored.map((each) => [`${each.hit.in} ${each.hit.text}`, each]));
  return [...different.values()]
    .sort((left, right) => right.score - left.score)
    .slice(0, MOST_HITS)
    .map(({ hit }) => hit);
}

function excerpt(hit: SearchHit, at: number): SearchHit {
  const from = Math.max(0, at - 60);
  const text = hit.text
    .slice(from, from + 200)
    .replace(/\s+/g, ' ')
    .trim();
  return { ...hit, text: `${from > 0 ? '…' : ''}${text}${from + 200 < hit.text.length ? '…' : ''}` };
}
