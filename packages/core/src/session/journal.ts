import { basename } from 'node:path';
import { formatBytes } from '@toolwright/machine/base/amounts.js';
import type { Message, Part } from '@toolwright/machine/base/content.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
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
import type { CallRecord } from './call-record.js';

/** One line of a session's journal. */
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
  /** `by` names a command of the user, where no call made the changes. */
  | { type: 'changes'; changeSet: ChangeSet; undoes?: string; by?: string }
  | CallRecord;

/** An entry as it is read back. */
export type SavedEntry = JournalEntry & {
  v: 1;
  at: string;
  /** Sorts in place of `at` when the clock had been set back. */
  order?: string;
};

/** Sorts entries of all sessions in the order in which they were written. */
export function orderOf({ at, order }: Pick<SavedEntry, 'at' | 'order'>): string {
  return order ?? at;
}

interface Journal {
  readonly path: string;
  /** Resolves when the entry would survive the death of this process. */
  append(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

interface JournalOptions {
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
      // A failure to open was reported by `append`.
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
      return { ...entry, args: boundedArguments(entry.args, inRecord) };
    default:
      return entry;
  }
}

interface ArgumentBounds {
  /** Limit of one text among the arguments. */
  textBytes: number;
  /** Limit of all of them together. */
  wholeBytes: number;
}

/** Bounds in the conversation: arguments longer than this no model would take back. */
const inConversation: ArgumentBounds = { textBytes: 256 * 1024, wholeBytes: 1024 * 1024 };
/** Bounds in the record of a call, where the beginning and the end of a text are enough. */
const inRecord: ArgumentBounds = { textBytes: 8 * 1024, wholeBytes: 64 * 1024 };

function boundedMessage(message: Message): Message {
  return message.parts.some(({ functionCall }) => functionCall?.args)
    ? { ...message, parts: message.parts.map(boundedPart) }
    : message;
}

function boundedPart(part: Part): Part {
  const { functionCall } = part;
  if (!functionCall?.args) return part;
  return {
    ...part,
    functionCall: { ...functionCall, args: boundedArguments(functionCall.args, inConversation) },
  };
}

function boundedArguments(args: Record<string, unknown>, bound: ArgumentBounds): Record<string, unknown> {
  const size = sizeOf(args);
  if (size <= bound.textBytes) return args;
  const cut = cutTexts(args, bound.textBytes) as Record<string, unknown>;
  if (sizeOf(cut) <= bound.wholeBytes) return cut;
  return { 'not kept': `${formatBytes(size)} of arguments` };
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function cutTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length <= most ? value : cutText(value, most);
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, most)]));
}

function cutText(text: string, most: number): string {
  const [head, tail] = [Math.floor(most * 0.75), Math.floor(most * 0.125)];
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${formatBytes(left)} not kept in the journal …]\n${text.slice(-tail)}`;
}

/** The entries that can be read; a line torn by a crash is passed over. */
export async function* readJournal(path: string, signal?: AbortSignal): AsyncGenerator<SavedEntry> {
  for await (const { value, number } of readJsonLines(path, signal)) {
    if (!isJsonObject(value)) continue;
    yield upgrade('journal', value, { where: `${path}:${number}` }) as unknown as SavedEntry;
  }
}

/** A journal entry as it is written: without known secrets and without what has the form of one. */
function entryWithoutSecrets(entry: { type: string }, redactor: Redactor): JsonObject {
  // A change set holds hashes and paths alone, and both must stay exactly what they are.
  return entry.type === 'changes' ? { ...entry } : (redactor.data(entry) as JsonObject);
}

/** A message as the model gets it: without known secrets. What merely looks like one may be source code. */
export function messageWithoutSecrets({ role, parts }: Message, redactor: Redactor): Message {
  return { role, parts: parts.map((part) => partWithoutSecrets(part, redactor)) };
}

function partWithoutSecrets(part: Part, { known }: Redactor): Part {
  const { text, functionResponse } = part;
  if (text !== undefined) return { ...part, text: known(text) };
  if (functionResponse?.response === undefined) return part;
  const response = mapTexts(functionResponse.response, known) as JsonObject;
  return { ...part, functionResponse: { ...functionResponse, response } };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
