import { isJsonObject } from '@toolwright/machine/base/json.js';
import { jsonLinesIn, readJsonLinesFrom } from '@toolwright/machine/host/state/append-file.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { upgrade } from '@toolwright/machine/host/state/versions.js';
import type { SavedEntry } from './journal.js';
import { allJournals } from './session-list.js';
import { type JournalFile, latestFirst } from './session-order.js';

/** The journals of all workspaces, the session used last first. */
export async function everyJournal(state: StateFolder): Promise<JournalFile[]> {
  return latestFirst(await allJournals(state));
}

/** The entries from a byte of a journal on, and the byte to go on from: for whoever follows a session that runs. */
export async function entriesFrom(
  path: string,
  from: number,
  signal?: AbortSignal,
): Promise<{ entries: SavedEntry[]; next: number }> {
  const { values, next } = await readJsonLinesFrom(path, from, signal);
  return { entries: entriesIn(values, path), next };
}

/** The entries of a journal that is kept as text; `where` names it in an error. */
export function entriesOfText(text: string, where: string): SavedEntry[] {
  return entriesIn(jsonLinesIn(text), where);
}

function entriesIn(values: readonly unknown[], where: string): SavedEntry[] {
  return values
    .filter(isJsonObject)
    .map((value) => upgrade('journal', value, { where }) as unknown as SavedEntry);
}
