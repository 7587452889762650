import { resolve } from 'node:path';
import type { Message, Part } from '@toolwright/machine/base/content.js';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { imageName, readImage, sha256 } from '@toolwright/machine/host/objects/image-file.js';
import { readJsonLines } from '@toolwright/machine/host/state/append-file.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { StateFolder } from '@toolwright/machine/host/state/state-folder.js';
import type { ModelEvent } from '../model/model.js';
import { readJournal, type SavedEntry } from '../session/journal.js';
import { conversationName } from './conversation-name.js';
import { isRecordingLine } from './line-shapes.js';
import type { RecordedAnswer, Recording, RecordingHead, RecordingLine } from './recording.js';

const LARGEST_RECORDING = 2 * 1024 ** 3;

/** Reads a file that `--record` wrote. It may come from anywhere: what does not look like one is refused with a sentence. */
export async function readRecording(path: string, signal?: AbortSignal): Promise<Recording> {
  const found = lookAtSync(path);
  if (!found) throw new SettingsError(`There is no recording ${path}, and no session of that id.`);
  if (found.kind !== 'file') throw notRecording(path);
  if (found.size > LARGEST_RECORDING) throw new SettingsError(`${path} is too large for a recording.`);
  const contents = new Map<string, Uint8Array>();
  const recording: OpenRecording = {
    head: null,
    file: resolve(path),
    history: [],
    requests: [],
    answers: [],
    entries: [],
    events: [],
    contentOf: async (hash) => contents.get(hash) ?? null,
  };
  let damaged = 0;
  for await (const { value, number } of readJsonLines(path, signal)) {
    if (number === 1) requireKnown(isJsonObject(value) ? value : {}, path);
    // The last line may be torn: the program ended while it wrote.
    if (damaged > 0) throw new SettingsError(`${path}:${damaged} is damaged. Take another copy of it.`);
    if (!isJsonObject(value)) damaged = number;
    else if (isRecordingLine(value)) take(value, recording, contents);
    else throw new SettingsError(`${path}:${number} is not a line of a recording.`);
  }
  if (!recording.head) throw notRecording(path);
  return recording as Recording;
}

function notRecording(path: string): SettingsError {
  return new SettingsError(`${path} is not a recording. toolwright --record FILE makes one.`);
}

function requireKnown({ type, v }: JsonObject, path: string): void {
  if (type !== 'recording' || !Number.isInteger(v)) throw notRecording(path);
  if (v !== 1)
    throw new SettingsError(`${path} was recorded by a newer version of Toolwright. Update Toolwright.`);
}

/** A recording while it is read. */
type OpenRecording = Omit<Recording, 'head'> & { head: RecordingHead | null };

function take(line: RecordingLine, recording: OpenRecording, contents: Map<string, Uint8Array>): void {
  switch (line.type) {
    case 'recording':
      recording.head ??= line;
      break;
    case 'history':
      recording.history = line.messages;
      break;
    case 'request':
      recording.requests.push(line);
      break;
    case 'answer':
      recording.answers.push(line);
      break;
    case 'entry':
      recording.entries.push(line.entry);
      break;
    case 'event':
      recording.events.push(line);
      break;
    case 'content': {
      const bytes = Buffer.from(line.bytes, 'base64');
      // A hash names its content: what says otherwise is left out.
      if (sha256(bytes) === line.hash) contents.set(line.hash, bytes);
    }
  }
}

/** A saved session as a recording: its journal holds the answers, the calls and the changes. */
export async function recordingOfSession(
  { path }: { path: string },
  state: Pick<StateFolder, 'pathOf'>,
  signal?: AbortSignal,
): Promise<Recording> {
  const entries: SavedEntry[] = [];
  for await (const entry of readJournal(path, signal)) entries.push(entry);
  const start = entries.find((entry) => entry.type === 'session-start');
  if (!start) throw new SettingsError(`${path} holds no session.`);
  const { sessionId, workspace, provider = 'unknown', model = 'unknown', apart, at } = start;
  const isSpoken = entries.findIndex(({ type }) => type === 'message');
  const begun = entries.findIndex(({ type }) => type === 'history');
  const first = entries[begun];
  const history = first?.type === 'history' && begun < isSpoken ? first.messages : [];
  return {
    head: { at, program: 'unknown', sessionId, workspace, provider, model, apart },
    history,
    requests: [],
    answers: answersIn(entries, history),
    entries,
    events: [],
    contentOf: (hash) => contentIn(state, hash),
  };
}

async function contentIn(state: Pick<StateFolder, 'pathOf'>, hash: string): Promise<Uint8Array | null> {
  const bytes = await readImage(imageName(state.pathOf('objects'), hash)).catch(() => null);
  return bytes && sha256(bytes) === hash ? bytes : null;
}

function answersIn(entries: readonly SavedEntry[], history: readonly Message[]): RecordedAnswer[] {
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));
  const conversation = conversationName([...history, ...messages.map(({ message }) => message)]);
  return messages
    .filter(({ message }) => message.role === 'model')
    .map(({ message, usage }) => ({
      conversation,
      events: [
        ...message.parts.flatMap(eventOf),
        ...(usage ? [{ type: 'usage' as const, usage }] : []),
        {
          type: 'finish' as const,
          reason: message.parts.some(({ functionCall }) => functionCall) ? 'calls' : 'stop',
          parts: message.parts,
        },
      ],
    }));
}

function eventOf({ text, thought, functionCall }: Part): ModelEvent[] {
  if (functionCall) {
    const { id = '', name = '', args = {} } = functionCall;
    return [{ type: 'call', call: { id, name, arguments: args } }];
  }
  if (text === undefined) return [];
  return [{ type: thought ? 'thinking-delta' : 'text-delta', text }];
}
