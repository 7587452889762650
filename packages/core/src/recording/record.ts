import { dirname, resolve } from 'node:path';
import type { Message } from '@toolwright/machine/base/content.js';
import { isNodeError, messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import { stateAfter, stateBefore } from '@toolwright/machine/changes/change-set.js';
import { imageName, readImage } from '@toolwright/machine/host/objects/image-file.js';
import { createNewFile, type NewFile } from '@toolwright/machine/host/plain-files/new-file.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { AgentEvent } from '../agent/events.js';
import {
  type ModelClient,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  withStream,
} from '../model/model.js';
import type { SavedEntry } from '../session/journal.js';
import { conversationName } from './conversation-name.js';
import type { RecordedAnswer, RecordingHead, RecordingLine } from './recording.js';
import { holdsSecret, readTree, type TreeNeeds } from './tree.js';

/** An agent whose session is recorded; what `createAgent` gives is one. */
export interface RecordedAgent extends TreeNeeds {
  session: { id: string };
  state: State;
  model: Pick<ModelClient, 'provider' | 'model'>;
  apart: { id: string | null };
  permission: TreeNeeds['permission'] & { mode: string };
  messages: readonly Message[];
}

/** Writes a session into a file while it runs. */
export interface Recorder {
  /** Options of the agent that is recorded. */
  wrapModel(client: ModelClient): ModelClient;
  onEntry(entry: SavedEntry): void;
  onEvent(event: AgentEvent): void;
  /** Writes down how things stand at the start. To be called before the first prompt. */
  begin(agent: RecordedAgent, signal: AbortSignal): Promise<void>;
  /** Adds the contents of the files that were changed, and closes the file. */
  end(): Promise<void>;
}

/** The place of a recording, and its content. */
export interface RecorderOptions {
  /** The file to write; there must be none yet. */
  path: string;
  /** Packs the files of the workspace, too. */
  withTree: boolean;
  /** Version of the program. */
  program: string;
}

const LARGEST_CONTENT = 4 * 1024 * 1024;

/** Writes a session into a file line by line, without secrets, so that it can be replayed. */
export function openRecorder({ path, withTree, program }: RecorderOptions): Recorder {
  const file = createFile(path);
  const waiting: RecordingLine[] = [];
  const hashes = new Set<string>();
  let agent: RecordedAgent | null = null;
  const write = (line: RecordingLine): void => {
    if (!agent) waiting.push(line);
    else file.write(`${JSON.stringify(redactedLine(line, agent.redactor))}\n`);
  };
  return {
    wrapModel: (client) => recordAnswers(client, write),
    onEntry(entry) {
      if (entry.type === 'changes')
        for (const state of entry.changeSet.changes.flatMap((each) => [stateBefore(each), stateAfter(each)]))
          if (state.kind === 'file') hashes.add(state.hash);
      write({ type: 'entry', entry });
    },
    onEvent(event) {
      if (isKept(event)) write({ type: 'event', at: new Date().toISOString(), event });
    },
    async begin(recorded, signal) {
      const contents: RecordingLine[] = [];
      const onContent = (hash: string, bytes: Uint8Array): void =>
        void contents.push({ type: 'content', hash, bytes: Buffer.from(bytes).toString('base64') });
      const tree = await readTree(recorded, {
        except: [resolve(path)],
        onContent: withTree ? onContent : undefined,
        signal,
      });
      agent = recorded;
      write({ v: 1, type: 'recording', ...headOf(recorded, program), tree });
      for (const line of contents) write(line);
      if (recorded.messages.length > 0) write({ type: 'history', messages: [...recorded.messages] });
      for (const line of waiting.splice(0)) write(line);
    },
    async end() {
      if (agent) for (const line of await contentsOf(hashes, agent)) write(line);
      file.close();
    },
  };
}

function createFile(path: string): NewFile {
  try {
    return createNewFile(path);
  } catch (error) {
    const why = reasonOf(error, path);
    throw new SettingsError(`The recording can't be written to ${path}: ${why}. Choose another name.`);
  }
}

function reasonOf(error: unknown, path: string): string {
  if (isNodeError(error, 'EEXIST')) return 'there is a file of that name already';
  return isNodeError(error, 'ENOENT') ? `there is no folder ${dirname(path)}` : messageOf(error);
}

function headOf({ session, host, model, permission, apart }: RecordedAgent, program: string): RecordingHead {
  return {
    at: new Date().toISOString(),
    program,
    sessionId: session.id,
    workspace: host.workspace.directory,
    provider: model.provider,
    model: model.model,
    mode: permission.mode,
    apart: apart.id ?? undefined,
  };
}

/** True for events that a replay can't make again from the answers. Pieces of live output are left out: they come when they come. */
function isKept({ type }: AgentEvent): boolean {
  return !['call-update', 'text-delta', 'thinking-delta', 'usage-report'].includes(type);
}

/** The line without secrets. Change sets and contents hold paths and hashes, which must stay what they are. */
function redactedLine(line: RecordingLine, redactor: Redactor): RecordingLine {
  if (line.type === 'content' || line.type === 'entry' || line.type === 'recording') return line;
  const cleaned = redactor.data(line) as RecordingLine;
  if (line.type !== 'answer' || JSON.stringify(cleaned) === JSON.stringify(line)) return cleaned;
  return { ...(cleaned as typeof line), redacted: true };
}

function recordAnswers(client: ModelClient, write: (line: RecordingLine) => void): ModelClient {
  const told = new Map<string, string>();
  const tell = ({ system, tools }: ModelRequest, conversation: string): void => {
    const all = JSON.stringify([system, tools]);
    if (told.get(conversation) === all) return;
    told.set(conversation, all);
    write({ type: 'request', conversation, system, tools });
  };
  return withStream(client, async function* (request, signal): AsyncGenerator<ModelEvent> {
    const conversation = conversationName(request.messages);
    tell(request, conversation);
    const answer: RecordedAnswer = { conversation, events: [] };
    try {
      for await (const event of client.stream(request, signal)) {
        addEvent(answer.events, event);
        yield event;
      }
    } catch (error) {
      answer.failure = failureOf(error, signal);
      throw error;
    } finally {
      write({ type: 'answer', ...answer });
    }
  });
}

/** Pieces of one text are joined: how a network cut them tells nothing. */
function addEvent(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1);
  if (last?.type === event.type && (event.type === 'text-delta' || event.type === 'thinking-delta'))
    events[events.length - 1] = { type: event.type, text: (last as typeof event).text + event.text };
  else events.push(event);
}

function failureOf(error: unknown, signal: AbortSignal): NonNullable<RecordedAnswer['failure']> {
  if (signal.aborted) return { kind: 'cancelled', message: 'The answer was cancelled.' };
  return { kind: error instanceof ModelError ? error.kind : 'other', message: messageOf(error) };
}

async function contentsOf(hashes: Iterable<string>, agent: RecordedAgent): Promise<RecordingLine[]> {
  const lines: RecordingLine[] = [];
  for (const hash of hashes) {
    const bytes = await readImage(imageName(agent.state.pathOf('objects'), hash)).catch(() => null);
    if (!bytes || bytes.length > LARGEST_CONTENT || holdsSecret(bytes, agent.redactor)) continue;
    lines.push({ type: 'content', hash, bytes: Buffer.from(bytes).toString('base64') });
  }
  return lines;
}
