import { plural } from '@toolwright/machine/base/amounts.js';
import { clipBytesFromEnd } from '@toolwright/machine/base/truncate.js';
import type { Permission } from '../../permission/permission.js';
import { toMarkdown } from '../../session/export.js';
import type { SavedEntry } from '../../session/journal.js';
import { entriesOf } from '../../session/saved-sessions.js';
import type { Session } from '../../session/session.js';
import type { ServedContent, ServedResource, ServedResources } from './offers.js';

export interface SessionResourcesNeeds {
  session: Pick<Session, 'id' | 'journalPath'>;
  permission: Pick<Permission, 'refusal'>;
  /** Takes secrets out of a text. */
  clean(text: string): string;
  /** The short form of a path. */
  show(path: string): string;
}

const LARGEST_BYTES = 256 * 1024;
const MOST_LISTED = 100;
const CHANGES = 'toolwright://changes/';

const changeSetTemplate = {
  uriTemplate: `${CHANGES}{id}`,
  name: 'change-set',
  title: 'Change set',
  description: 'The files that one call changed, with the differences. toolwright undo ID takes it back.',
  mimeType: 'text/plain',
};

/** The session of this server and the change sets of its calls: what was done for its clients, and nothing of other sessions. */
export class SessionResources implements ServedResources {
  readonly templates = [changeSetTemplate];
  readonly #needs: SessionResourcesNeeds;
  readonly #uri: string;
  readonly #listeners = new Set<(uri: string | null) => void>();

  constructor(needs: SessionResourcesNeeds) {
    this.#needs = needs;
    this.#uri = `toolwright://sessions/${needs.session.id}`;
  }

  async list(signal: AbortSignal): Promise<ServedResource[]> {
    const session = {
      uri: this.#uri,
      name: `session ${this.#needs.session.id}`,
      title: 'This session',
      description: 'The calls made through this server, with what they answered.',
      mimeType: 'text/markdown',
    };
    return [session, ...(await this.#changeSetIds(signal)).slice(0, MOST_LISTED).map(changeSetResource)];
  }

  async read(uri: string, signal: AbortSignal): Promise<ServedContent[] | null> {
    if (uri === this.#uri)
      return [this.#content(uri, 'text/markdown', toMarkdown(await this.#entries(signal)))];
    if (!uri.startsWith(CHANGES)) return null;
    const text = changeSetText(await this.#entries(signal), uri.slice(CHANGES.length), this.#needs);
    return text === null ? null : [this.#content(uri, 'text/plain', text)];
  }

  async complete(template: string, variable: string, value: string): Promise<string[]> {
    if (template !== changeSetTemplate.uriTemplate || variable !== 'id') return [];
    return (await this.#changeSetIds()).filter((id) => id.startsWith(value));
  }

  onChange(listener: (uri: string | null) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells whoever listens what a call has added. */
  callSettled({ changeSet }: { changeSet?: string }): void {
    for (const listener of this.#listeners) {
      listener(this.#uri);
      if (changeSet !== undefined) listener(null);
    }
  }

  #content(uri: string, mimeType: string, text: string): ServedContent {
    return { uri, mimeType, text: bounded(this.#needs.clean(text)) };
  }

  #entries(signal?: AbortSignal): Promise<SavedEntry[]> {
    return entriesOf({ path: this.#needs.session.journalPath }, signal).catch(() => []);
  }

  /** The latest first. */
  async #changeSetIds(signal?: AbortSignal): Promise<string[]> {
    const all = await this.#entries(signal);
    return all.flatMap((entry) => (entry.type === 'changes' ? entry.changeSet.id : [])).reverse();
  }
}

function changeSetResource(id: string): ServedResource {
  return {
    uri: `${CHANGES}${id}`,
    name: `change set ${id}`,
    description: 'The files that one call changed, with the differences.',
    mimeType: 'text/plain',
  };
}

function bounded(text: string): string {
  if (Buffer.byteLength(text) <= LARGEST_BYTES) return text;
  return `… the beginning is left out\n${clipBytesFromEnd(text, LARGEST_BYTES)}`;
}

/** Files that may not be read are counted, and not named. */
function changeSetText(
  entries: readonly SavedEntry[],
  id: string,
  { permission, show }: SessionResourcesNeeds,
): string | null {
  const made = entries.findLast((entry) => entry.type === 'changes' && entry.changeSet.id === id);
  if (made?.type !== 'changes') return null;
  const mayRead = (path: string): boolean => permission.refusal('read', path) === null;
  const seen = made.changeSet.changes.filter(({ path }) => mayRead(path));
  const hidden = made.changeSet.changes.length - seen.length;
  const call = entries.findLast((entry) => entry.type === 'call-end' && entry.changeSet === id);
  const display = call?.type === 'call-end' ? call.display : '';
  const isDiff = typeof display !== 'string' && display.kind === 'diff';
  const diffs = isDiff && hidden === 0 ? display.files.map(({ unified }) => unified) : [];
  return [
    `Change set ${id}, ${made.at}${call?.type === 'call-end' ? `, by ${call.tool}` : ''}`,
    ...(made.undoes ? [`It undid ${made.undoes}.`] : []),
    ...seen.map(({ kind, path }) => `${kind} ${show(path)}`),
    ...(hidden > 0
      ? [`${plural(hidden, 'file')} that may not be read: not shown, nor are the differences`]
      : []),
    ...diffs.flatMap((unified) => ['', unified.trimEnd()]),
    '',
  ].join('\n');
}
