import { basename } from 'node:path';
import type { Message } from '@toolwright/machine/base/content.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import {
  type AppendFile,
  openAppendFile,
  readJsonLines,
} from '@toolwright/machine/host/state/append-file.js';
import { inStateFolder, type StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import { upgrade } from '@toolwright/machine/host/state/versions.js';
import type { CallRecord } from '../scheduler/call.js';
import { boundedMessage, boundedRecord } from './bounded-arguments.js';
import { entryWithoutSecrets } from './without-secrets.js';

/** What a session keeps of itself, one line each. */
export type JournalEntry =
  | {
      type: 'session-start';
      sessionId: string;
      workspace: string;
      front: string;
      provider?: string;
      model?: string;
    }
  | { type: 'message'; message: Message }
  /** The conversation from here on starts with these messages: what was before is summarised in them. */
  | { type: 'history'; messages: Message[] }
  /** `by` names a command of the person, where no call made the changes. */
  | { type: 'changes'; changeSet: ChangeSet; undoes?: string; by?: string }
  | CallRecord;

/** An entry as it is read back. */
export type SavedEntry = JournalEntry & {
  v: 1;
  at: string;
  /** In place of `at` where it is asked what came later: the clock had been set back. */
  order?: string;
};

/** What sorts entries of all sessions in the order in which they were written. */
export function orderOf({ at, order }: Pick<SavedEntry, 'at' | 'order'>): string {
  return order ?? at;
}

export interface Journal {
  readonly path: string;
  /** Resolves when the entry would survive the death of this process. */
  append(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

export interface JournalOptions {
  state: StateFolder;
  workspace: string;
  sessionId: string;
  clock: Clock;
  redactor: Redactor;
  /** Nothing here was written before this moment, whatever the clock says. */
  notBefore?: number;
}

/** The folder of a workspace's sessions: readable, and unique by the whole path. */
export function projectKey(workspace: string): string {
  const name =
    basename(workspace)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'root';
  return `${name}-${sha256OfText(JSON.stringify(workspace)).slice(0, 10)}`;
}

/** The file is made with the first entry: a run that does nothing leaves nothing. */
export function openJournal(options: JournalOptions): Journal {
  const { state, workspace, sessionId, clock, redactor } = options;
  let latest = options.notBefore ?? 0;
  const path = state.pathOf('sessions', projectKey(workspace), `${sessionId}.jsonl`);
  let file: Promise<AppendFile> | undefined;
  const open = async (): Promise<AppendFile> => {
    await state.make('sessions', projectKey(workspace));
    return openAppendFile(path);
  };
  return {
    path,
    async append(entry) {
      file ??= open();
      const now = clock.now();
      latest = Math.max(latest, now);
      const line = JSON.stringify({
        v: 1,
        at: new Date(now).toISOString(),
        ...(latest > now ? { order: new Date(latest).toISOString() } : {}),
        ...entryWithoutSecrets(boundedEntry(entry), redactor),
      });
      const opened = file;
      await inStateFolder(state.path, async () => (await opened).append(line));
    },
    async close() {
      // Who could not open it was told by `append`.
      const opened = await file?.catch(() => undefined);
      await opened?.close();
      file = undefined;
    },
  };
}

/**
 * A model can send megabytes with every call, also with those that are refused, and each would be kept several times.
 * Results and changes are bounded where they are made; arguments are bounded here.
 */
function boundedEntry(entry: JournalEntry): JournalEntry {
  switch (entry.type) {
    case 'message':
      return { ...entry, message: boundedMessage(entry.message) };
    case 'history':
      return { ...entry, messages: entry.messages.map(boundedMessage) };
    case 'call-start':
      return { ...entry, args: boundedRecord(entry.args) };
    default:
      return entry;
  }
}

/** The entries that can be read; a line torn by a crash is passed over. */
export async function* readJournal(path: string, signal?: AbortSignal): AsyncGenerator<SavedEntry> {
  for await (const { value, number } of readJsonLines(path, signal)) {
    if (!isJsonObject(value)) continue;
    yield upgrade('journal', value, { where: `${path}:${number}` }) as unknown as SavedEntry;
  }
}
