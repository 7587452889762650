import { basename } from 'node:path';
import type { Message, Part } from '@toolwright/machine/base/content.js';
import { sha256OfText } from '@toolwright/machine/base/digest/sha256.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import { readJsonLines } from '@toolwright/machine/host/state/append-file.js';
import { upgrade } from '@toolwright/machine/host/state/versions.js';
import type { Usage } from '../model/model.js';
import type { CallRecord } from './call-record.js';

export type JournalEntry =
  | {
      type: 'session-start';
      sessionId: string;
      workspace: string;
      front: string;
      provider?: string;
      model?: string;
      apart?: string;
    }
  /** `usage`: what the model's answer cost, where it told. `model`: the one that answered, where it is not that of the start. */
  | { type: 'message'; message: Message; usage?: Usage; model?: string }
  /** A request that was no turn of the conversation: `purpose` says what it was for. */
  | { type: 'usage'; purpose: string; model: string; usage: Usage }
  /** The conversation from here on starts with these messages: what was before is summarised in them. */
  | { type: 'history'; messages: Message[] }
  /** The prompt ended before these calls of its last answer: questions about them wait. `seen`: files that the model knows, by hash. */
  | { type: 'parked'; calls: string[]; seen: [path: string, hash: string][] }
  | { type: 'changes'; changeSet: ChangeSet; undoes?: string; by?: string; apart?: string }
  /** The answer of a hook that was told of something else than a call. */
  | {
      type: 'hook';
      event: string;
      /** The hook's command, with the file and line that name it. */
      hook: string;
      decision: 'none' | 'ask' | 'deny';
      reason?: string;
      /** Why it could not be asked. */
      failure?: string;
    }
  | CallRecord;

/**
 * The change set that another one undoes; `by` names a command of the user, where no call made the changes; `apart` is the
 * session apart in whose view it was made.
 */
export type ChangeOrigin = Pick<JournalEntry & { type: 'changes' }, 'undoes' | 'by' | 'apart'>;

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

/** The folder of a workspace's sessions: readable, and unique by the whole path. */
export function projectKey(workspace: string): string {
  const name =
    basename(workspace)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'root';
  return `${name}-${sha256OfText(JSON.stringify(workspace)).slice(0, 10)}`;
}

/** The entries that can be read; a line torn by a crash is passed over. */
export async function* readJournal(path: string, signal?: AbortSignal): AsyncGenerator<SavedEntry> {
  for await (const { value, number } of readJsonLines(path, signal)) {
    if (!isJsonObject(value)) continue;
    yield upgrade('journal', value, { where: `${path}:${number}` }) as unknown as SavedEntry;
  }
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
