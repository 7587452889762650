import type { FunctionDeclaration, Message } from '@toolwright/machine/base/content.js';
import type { AgentEvent } from '../agent/events.js';
import type { ModelErrorKind, ModelEvent } from '../model/model.js';
import type { SavedEntry } from '../session/journal.js';

/** A file of the starting tree; its path is relative to the workspace, with `/` between names. */
export interface TreeFile {
  path: string;
  size: number;
  mode: number;
  modifiedMs: number;
  /** SHA-256 of its bytes, hex. */
  hash: string;
}

/** The files of the workspace when the recording began. */
export interface RecordedTree {
  /** SHA-256 over path, mode and hash of each file. */
  digest: string;
  files: TreeFile[];
  /** Files that are no part of it, and why: too large, secret. */
  leftOut: { path: string; why: string }[];
  /** The contents are in the recording. */
  isPacked: boolean;
}

/** The beginning of a recording: what was recorded, when and where. */
export interface RecordingHead {
  at: string;
  /** Version of the program that made it. */
  program: string;
  sessionId: string;
  workspace: string;
  provider: string;
  model: string;
  /** Absent where it was made of a journal, which does not keep it. */
  mode?: string;
  apart?: string;
  /** Absent where it was made of a journal. */
  tree?: RecordedTree;
}

/** An answer of a model, piece by piece. */
export interface RecordedAnswer {
  /** Names the conversation it belongs to, among those of subagents and side questions. */
  conversation: string;
  events: ModelEvent[];
  /** The answer broke off. */
  failure?: { kind: ModelErrorKind | 'cancelled' | 'other'; message: string };
  /** Secrets were taken out of it, so that its calls are not quite what they were. */
  redacted?: true;
}

/** The model's instructions beside the conversation; a line of its own each time they change. */
export interface RecordedInstructions {
  conversation: string;
  system: string;
  tools: readonly FunctionDeclaration[];
}

/** An event of a recording, with its time. */
export interface RecordedEvent {
  at: string;
  event: AgentEvent;
}

/** A line of a recording. */
export type RecordingLine =
  | ({ v: 1; type: 'recording' } & RecordingHead)
  | { type: 'history'; messages: Message[] }
  | ({ type: 'request' } & RecordedInstructions)
  | ({ type: 'answer' } & RecordedAnswer)
  | { type: 'entry'; entry: SavedEntry }
  | ({ type: 'event' } & RecordedEvent)
  /** Bytes of a file, base64. */
  | { type: 'content'; hash: string; bytes: string };

/** A session as it can be replayed, of a recording or of a journal. */
export interface Recording {
  head: RecordingHead;
  /** The file it was read from, which is no part of the workspace wherever it lies. */
  file?: string;
  /** The conversation that it went on from. */
  history: Message[];
  requests: RecordedInstructions[];
  answers: RecordedAnswer[];
  entries: SavedEntry[];
  /** Empty where it was made of a journal. */
  events: RecordedEvent[];
  /** The bytes of a version of a file; null where they were not kept. */
  contentOf(hash: string): Promise<Uint8Array | null>;
}
