import type { ApprovalMode, Display, FileDiff, Prices, Usage, Verdict } from '@toolwright/core';
import type {
  ContextNode,
  Explanation,
  LiveAbout,
  LiveAnswer,
  LiveEvent,
  LiveQuestion,
  LiveTail,
  Review,
  ReviewHunk,
  TodoItem,
} from '@toolwright/core/front-end';
import type { FleetBoard, TaskRecord, TaskRow, TaskState } from './fleet.js';

/** Every request of the page by its path below `/api/`: what it takes and what it gives. Plain data. */
export interface WebApi {
  'list/start': { takes: Record<string, never>; gives: StartView };
  'list/sessions': { takes: { search?: string }; gives: SessionRow[] };
  'list/changes': { takes: Record<string, never>; gives: ChangeRow[] };
  'list/apart': { takes: Record<string, never>; gives: ApartRow[] };
  'list/rules': { takes: Record<string, never>; gives: RulesView };
  /** Tasks of the fleet: of one state, or what needs attention first. */
  'list/tasks': { takes: { state?: TaskState }; gives: { rows: TaskRow[]; more: number } };
  'list/files': { takes: { typed: string }; gives: string[] };
  'read/call': { takes: { session: string; callId: string }; gives: CallView };
  'read/task': { takes: { id: string }; gives: TaskView };
  'read/task-call': { takes: { task: string; callId: string }; gives: CallView };
  'read/task-changes': { takes: { id: string }; gives: FileDiff | null };
  'read/export': { takes: { id: string; format: 'markdown' | 'json' | 'html' }; gives: { text: string } };
  'read/change': { takes: { id: string }; gives: ChangeView };
  'read/image': {
    takes: { id: string; path: string; side: 'before' | 'after' };
    gives: { base64: string; type: string } | null;
  };
  'read/apart': { takes: { id: string }; gives: ApartView };
  'read/hunks': { takes: { id: string; path: string }; gives: ReviewHunk[] | null };
  'read/machine': { takes: { part: MachinePart }; gives: MachineView };
  'read/tool': { takes: { name: string; provider: Provider }; gives: { declaration: unknown; from: string } };
  answer: { takes: LiveAnswer & { session: string }; gives: { taken: boolean } };
  /** The answer to a task that is parked, by whichever worker goes on with it. */
  'answer/task': { takes: LiveAnswer & { task: string }; gives: { taken: boolean } };
  prompt: { takes: PromptRequest; gives: { session: string } };
  'prompt/cancel': { takes: { session: string }; gives: { cancelled: boolean } };
  'prompt/task': { takes: { id: string; action: 'cancel' | 'retry' }; gives: { taken: boolean } };
  undo: { takes: { id: string }; gives: UndoView };
  'undo/keep': {
    takes: { id: string; digest: string; choice: [string, 'whole' | number[]][] | 'all' };
    gives: KeptView;
  };
  'undo/drop': { takes: { id: string; paths: string[] | 'all' }; gives: KeptView };
  explain: { takes: { text: string; rules?: DraftRule[] }; gives: ExplainedView };
  'explain/replay': { takes: { rules: DraftRule[] }; gives: ReplayView };
}

export type WebMethod = keyof WebApi;
export type Provider = 'openai' | 'openai-responses' | 'anthropic' | 'gemini';

/** The subject of a page, beside what all are told: a session, a task of the fleet, or neither. */
export interface Wanted {
  session?: string;
  task?: string;
}

/** An event of the stream that `subscribe` opens. */
export type StreamEvent =
  | { type: 'live'; live: LiveRow[] }
  /** The session as it is now; what follows changes it. */
  | { type: 'session'; view: SessionView }
  | { type: 'problem'; message: string }
  /** The items of a session's timeline from an index on. */
  | { type: 'items'; from: number; items: TimelineItem[] }
  /** Null once no program runs the session any more. */
  | { type: 'tail'; tail: LiveTail | null }
  | { type: 'event'; event: LiveEvent }
  /** The board of the fleet; null without a fleet. */
  | { type: 'fleet'; board: FleetBoard | null }
  /** Something of the task that is looked at is another now. */
  | { type: 'task'; id: string }
  /** A line of its log, as it happens. */
  | { type: 'task-log'; id: string; line: string };

export interface StartView {
  workspace: string;
  readOnly: boolean;
  mode: ApprovalMode;
  live: LiveRow[];
}

export interface LiveRow extends LiveAbout {
  title: string;
  asks: boolean;
  working: boolean;
  /** The page may prompt and cancel it: the program of the page runs it. */
  isOwn: boolean;
}

export interface SessionRow {
  id: string;
  workspace: string;
  startedAt: string;
  endedAt: string;
  front: string;
  model?: string | undefined;
  title: string;
  messages: number;
  calls: number;
  bytes: number;
  /** Places where a search found its words. */
  hits?: SearchHit[];
}

export interface SearchHit {
  in: 'prompt' | 'answer' | 'call' | 'file' | 'command';
  text: string;
  callId?: string;
}

export interface SessionView {
  id: string;
  workspace: string;
  items: TimelineItem[];
  tail: LiveTail | null;
}

export type TimelineItem =
  | {
      kind: 'start';
      at: string;
      front: string;
      model?: string | undefined;
      provider?: string | undefined;
      apart?: string | undefined;
      /** Dollars for a million tokens of the model, where they are known. */
      prices?: Prices | undefined;
    }
  /** `beside`: texts that were given with it, such as files named by `@`. */
  | { kind: 'prompt'; at: string; text: string; beside: string; attached: number }
  | {
      kind: 'answer';
      at: string;
      text: string;
      thinking: string;
      usage?: Usage | undefined;
      /** The model that gave it, where it is not the one of the start. */
      by?: { model: string; prices?: Prices | undefined } | undefined;
    }
  /** Tokens of a subagent, a summary or a question over a page: counted, not shown. */
  | { kind: 'usage'; at: string; usage: Usage; by: { model: string; prices?: Prices | undefined } }
  | { kind: 'shortened'; at: string }
  | { kind: 'change'; at: string; id: string; summary: string; by: string }
  | TimelineCall;

export interface TimelineCall {
  kind: 'call';
  at: string;
  callId: string;
  tool: string;
  /** The argument that says most, in one line. */
  brief: string;
  /** The list that it gives, where its tool is `todo`. */
  todo?: TodoItem[] | undefined;
  state: 'running' | 'done' | 'failed' | 'refused';
  endedAt?: string;
  decision?: {
    verdict: Verdict;
    reason: string;
    /** The rule with its place, or the mode. */
    by?: string | undefined;
    outcome?: string | undefined;
    waitedMs?: number | undefined;
  };
  error?: string;
  /** Errors in sources that came with it, in one line. */
  newErrors?: string | undefined;
  /** The first lines of the display. */
  shown: string;
  /** There is more to read of it. */
  isCut: boolean;
  added?: number;
  removed?: number;
  changeSet?: string | undefined;
}

export interface CallView {
  args: Record<string, unknown>;
  display: Display | null;
  response: string;
  effects: string[];
}

/** A task of the fleet with its questions and its log. */
export interface TaskView {
  record: TaskRecord;
  row: TaskRow;
  questions: LiveQuestion[];
  /** The task's journal, as far as it is in the store. */
  items: TimelineItem[];
}

export interface ChangeRow {
  id: string;
  at: string;
  session: string;
  summary: string;
  files: string[];
  /** The origin of the changes: a tool, a command of the user, an undo. */
  by: string;
  callId?: string | undefined;
  command?: string | undefined;
  undoes?: string | undefined;
  undoneBy?: string | undefined;
  apart?: string | undefined;
}

export interface ChangeView {
  row: ChangeRow;
  diff: FileDiff;
  /** Paths of images by their names in the diff. */
  images: Record<string, string>;
  undo: { state: 'ready' | 'nothing' | 'refused'; reason: string; diff?: FileDiff };
}

export interface UndoView {
  state: 'undone' | 'nothing' | 'refused';
  text: string;
  diff?: FileDiff;
  /** The change that takes this one back. */
  id?: string;
}

export interface ApartRow {
  id: string;
  session: string;
  workspace: string;
  prompt: string;
  startedAt: string;
  files: number;
  bytes: number;
  heldBy: string | null;
  problem: string | null;
  isHere: boolean;
}

export interface ApartView {
  id: string;
  prompt: string;
  session: string;
  review: Review;
  /** Short names by path. */
  names: Record<string, string>;
  refused: { path: string; why: string }[];
}

export interface KeptView {
  text: string[];
  change: string | null;
  waiting: number;
}

export interface DraftRule {
  verdict: Verdict;
  text: string;
}

export interface RulesView {
  mode: ApprovalMode;
  rules: { verdict: Verdict; text: string; source: string; isGrant: boolean }[];
}

export interface ExplainedView {
  explained: Pick<Explanation, 'decision' | 'reason' | 'considered' | 'hooks'> | null;
  /** The decision in words. */
  verdict: string;
  /** The route of a command, and its effects without network, in sentences. */
  sentences: string[];
  /** The deciding mode, hook or rules. */
  by: string;
  effects: string[];
  problem: string | null;
}

export interface ReplayView {
  sessions: number;
  calls: number;
  /** Number of calls by decision, then and with the rules in question. */
  earlier: Record<Verdict, number>;
  now: Record<Verdict, number>;
  changed: {
    session: string;
    callId: string;
    tool: string;
    brief: string;
    earlier: Verdict;
    now: Verdict;
    reason: string;
  }[];
  problem: string | null;
}

export type MachinePart = 'doctor' | 'servers' | 'tools' | 'memory' | 'disk';

/** The facts about this machine that the page shows. */
export interface MachineView {
  doctor?: { state: 'ok' | 'note' | 'broken'; what: string; detail: string }[];
  servers?: ServerRow[];
  tools?: { name: string; displayName: string; description: string; origin: string }[];
  memory?: {
    bytes: number;
    maxBytes: number;
    files: ContextNode[];
    facts: { scope: string; fact: string }[];
  };
  disk?: { name: string; what: string; bytes: number; files: number }[];
}

/** A server as the page shows it. */
export interface ServerRow {
  name: string;
  state: string;
  source: string;
  endpoint: string;
  runs: string;
  tools: { name: string; description: string; pin: string }[];
  bytes: number;
  tokens: number;
  problem: string | null;
  warnings: string[];
}

export interface PromptRequest {
  /** A conversation of the page, or an earlier session that goes on; none begins a new one. */
  session?: string;
  text: string;
  mode?: ApprovalMode;
  apart?: boolean;
  attachments?: { name: string; type: string; base64: string }[];
}
