import { formatBytes } from '@toolwright/machine/base/amounts.js';
import type { Message, Part } from '@toolwright/machine/base/content.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { namesInSync } from '@toolwright/machine/host/state/inspect-files.js';
import { openJournal } from '@toolwright/machine/host/state/journal.js';
import type { Locks } from '@toolwright/machine/host/state/locks.js';
import { replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import { inStateFolder, type StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { SessionWorkspace } from '@toolwright/machine/host/workspace.js';
import type { Usage } from '../model/model.js';
import type { CallRecord } from './call-record.js';
import { type ChangeOrigin, type JournalEntry, projectKey, type SavedEntry } from './journal.js';
import { latestFirst } from './session-order.js';

/** A session and its journal. */
export interface Session {
  readonly id: string;
  readonly journalPath: string;
  /** See `Journal`. */
  claim(): Promise<void>;
  recordCall(record: CallRecord): Promise<void>;
  /** `usage`: what the answer cost; `by`: the model that gave it. */
  recordMessage(message: Message, usage?: Usage, by?: string): Promise<void>;
  /** A request that was no turn of the conversation. */
  recordUsage(used: Omit<JournalEntry & { type: 'usage' }, 'type'>): Promise<void>;
  /** Makes the conversation start with these messages from here on. */
  recordHistory(messages: Message[]): Promise<void>;
  /** The prompt ends before these calls: questions about them wait. */
  recordParked(parked: Omit<JournalEntry & { type: 'parked' }, 'type'>): Promise<void>;
  recordHook(answer: Omit<JournalEntry & { type: 'hook' }, 'type'>): Promise<void>;
  recordChanges(changeSet: ChangeSet, origin?: ChangeOrigin): Promise<void>;
  /** The change sets that were recorded last, by id. */
  readonly recentChanges: ReadonlyMap<string, ChangeSet>;
  /** Keeps a long output where the file tools can read it; returns the path. */
  saveOutput(name: string, content: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

interface SessionOptions {
  host: Pick<Host, 'clock' | 'ids'> & { workspace: SessionWorkspace };
  state: StateFolder & Pick<Locks, 'hold'>;
  redactor: Redactor;
  /** Name of the front end: `headless`, `tools run`, `library` … */
  front: string;
  model?: { provider: string; model: string };
  /** An earlier session that goes on. */
  resume?: string;
  /** The id of a new one, where the caller chose it. */
  sessionId?: string;
  /** The id of the session apart, once it is one. */
  apart?(): string | undefined;
  /** Hears of every entry of the journal as it was written, without secrets. */
  onEntry?(entry: SavedEntry): void;
}

/** Opens a conversation with its journal. Nothing is written before there is something to keep. */
export function openSession(options: SessionOptions): Session {
  const { host, state, redactor, front, model, resume, sessionId } = options;
  const { workspace, clock, ids } = host;
  const folder = projectKey(workspace.directory);
  const latest = latestMoment(state.pathOf('sessions', folder));
  // A clock that was set back must not make this session older than those before it.
  const notBefore = latest >= clock.now() ? latest + 1 : 0;
  const id = resume ?? sessionId ?? ids.next(notBefore);
  const start: JournalEntry = {
    type: 'session-start',
    sessionId: id,
    workspace: workspace.directory,
    front,
    ...model,
    // Written with the first entry, when it is known.
    get apart() {
      return options.apart?.();
    },
  };
  const onWritten = options.onEntry as ((entry: object) => void) | undefined;
  const journal = openJournal({ state, folder, sessionId: id, start, clock, redactor, notBefore, onWritten });
  const record = (entry: JournalEntry): Promise<void> => journal.append(boundedEntry(entry));
  return {
    id,
    journalPath: journal.path,
    claim: journal.claim,
    recordCall: record,
    recordMessage: (message, usage, by) =>
      record({ type: 'message', message, usage, model: by === model?.model ? undefined : by }),
    recordUsage: (used) => record({ type: 'usage', ...used }),
    recordHistory: (messages) => record({ type: 'history', messages }),
    recordParked: (parked) => record({ type: 'parked', ...parked }),
    recordHook: (answer) => record({ type: 'hook', ...answer }),
    recordChanges: journal.recordChanges,
    recentChanges: journal.recentChanges as ReadonlyMap<string, ChangeSet>,
    async saveOutput(name, content) {
      const output = await state.make('output', id);
      const root = workspace.addReadOnlyRoot(output);
      const path = `${root.path}/${name.replace(/[^A-Za-z0-9._-]+/g, '-')}`;
      const kept = typeof content === 'string' ? redactor.text(content) : content;
      await inStateFolder(state.path, () => replaceFile(path, kept));
      return path;
    },
    close: journal.close,
  };
}

/** Number of newest journals to check: a long session may have been written to after later ones began. */
const MOST_LOOKED_AT = 8;

/** The latest moment that the journals in a folder know of, whatever the clock says now; 0 where there are none. */
function latestMoment(folder: string): number {
  const names = namesInSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .slice(-MOST_LOOKED_AT);
  const [latest] = latestFirst(names.map((name) => `${folder}/${name}`));
  return latest?.usedMs ?? 0;
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
