import { plural } from '@toolwright/machine/base/amounts.js';
import { clipBytesFromEnd } from '@toolwright/machine/base/truncate.js';
import type { Permission } from '../../permission/permission.js';
import { toMarkdown } from '../../session/export.js';
import type { SavedEntry } from '../../session/journal.js';
import { entriesOf } from '../../session/saved-sessions.js';
import type { Session } from '../../session/session.js';
import type { ServedResource, ServedResources } from './offers.js';

export interface SessionResourcesNeeds {
  session: Pick<Session, 'id' | 'journalPath'>;
  permission: Pick<Permission, 'refusal'>;
  /** Takes secrets out of a text. */
  clean(text: string): string;
  /** The short form of a path. */
  show(path: string): string;
}

export interface SessionResources extends ServedResources {
  /** Tells whoever listens what a call has added. */
  callSettled(call: { changeSet?: string }): void;
}

const LARGEST_BYTES = 256 * 1024;
const MOST_LISTED = 100;
const CHANGES = 'toolwright://changes/';

/** The session of this server and the change sets of its calls: what was done for its clients, and nothing of other sessions. */
export function sessionResources(needs: SessionResourcesNeeds): SessionResources {
  const { session, clean } = needs;
  const listeners = new Set<(uri: string | null) => void>();
  const uri = `toolwright://sessions/${session.id}`;
  const entries = (signal?: AbortSignal): Promise<SavedEntry[]> =>
    entriesOf({ path: session.journalPath }, signal).catch(() => []);

  async function changeSetIds(signal?: AbortSignal): Promise<string[]> {
    const all = await entries(signal);
    return all.flatMap((entry) => (entry.type === 'changes' ? entry.changeSet.id : [])).reverse();
  }

  return {
    templates: [
      {
        uriTemplate: `${CHANGES}{id}`,
        name: 'change-set',
        title: 'Change set',
        description:
          'The files that one call changed, with the differences. toolwright undo ID takes it back.',
        mimeType: 'text/plain',
      },
    ],
    async list(signal) {
      const changed = (await changeSetIds(signal)).slice(0, MOST_LISTED);
      return [
        {
          uri,
          name: `session ${session.id}`,
          title: 'This session',
          description: 'The calls made through this server, with what they answered.',
          mimeType: 'text/markdown',
        },
        ...changed.map(
          (id): ServedResource => ({
            uri: `${CHANGES}${id}`,
            name: `change set ${id}`,
            description: 'The files that one call changed, with the differences.',
            mimeType: 'text/plain',
          }),
        ),
      ];
    },
    async read(asked, signal) {
      if (asked === uri) {
        const text = bounded(clean(toMarkdown(await entries(signal))));
        return [{ uri, mimeType: 'text/markdown', text }];
      }
      if (!asked.startsWith(CHANGES)) return null;
      const text = changeSetText(await entries(signal), asked.slice(CHANGES.length), needs);
      return text === null ? null : [{ uri: asked, mimeType: 'text/plain', text: bounded(clean(text)) }];
    },
    async complete(template, variable, value) {
      if (template !== `${CHANGES}{id}` || variable !== 'id') return [];
      return (await changeSetIds()).filter((id) => id.startsWith(value));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    callSettled({ changeSet }) {
      for (const listener of listeners) {
        listener(uri);
        if (changeSet !== undefined) listener(null);
      }
    },
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
    ...(made.undoes ? [`It took back ${made.undoes}.`] : []),
    ...seen.map(({ kind, path }) => `${kind} ${show(path)}`),
    ...(hidden > 0
      ? [`${plural(hidden, 'file')} that may not be read: not shown, nor are the differences`]
      : []),
    ...diffs.flatMap((unified) => ['', unified.trimEnd()]),
    '',
  ].join('\n');
}
