import type { AgentResult } from '../agent/events.js';
import type { Usage } from '../model/model.js';
import type { Decision } from '../permission/decide.js';
import type { Verdict } from '../permission/rules.js';

/** A side of a comparison of sessions. */
export interface SessionSummary {
  model: string;
  provider: string;
  reason: AgentResult['reason'] | null;
  turns: number;
  calls: number;
  usage: Usage;
  response: string;
}

/** A call whose result is another one now. */
export interface OtherResult {
  kind: 'result';
  number: number;
  tool: string;
  args: Record<string, unknown>;
  earlier: string;
  now: string;
  /** Unified diff of the two. */
  diff: string;
}

/** A call about which the present rules decide otherwise. */
export interface OtherDecision {
  kind: 'decision';
  number: number;
  tool: string;
  args: Record<string, unknown>;
  earlier: { decision: Verdict; reason: string };
  now: { decision: Verdict; reason: string; winner: Decision['winner'] | null };
}

/** A file that ends otherwise. */
export interface OtherFile {
  kind: 'file';
  path: string;
  /** The difference from the recorded end to the present one; empty where the recording does not hold the content. */
  diff: string;
  why: string;
}

/** A change of what the model is told beside the conversation. */
export interface OtherInstructions {
  kind: 'instructions';
  /** `system`, or the name of a tool. */
  what: string;
  diff: string;
}

/** The session took another course: a call that came then did not come now, or the other way round. */
export interface OtherCourse {
  kind: 'course';
  message: string;
}

/** Something that is not as it was recorded. */
export type Difference = OtherResult | OtherDecision | OtherFile | OtherInstructions | OtherCourse;

/** A call that was not run again, and why: its result is the recorded one. */
export interface AnsweredCall {
  number: number;
  tool: string;
  why: string;
}

/** The outcome of a replay. */
export interface ReplayReport {
  v: 1;
  /** The source of results: the recording, or tools that ran again; `model`: another model was asked. */
  tools: 'recorded' | 'again' | 'model';
  recording: { sessionId: string; at: string; program: string; workspace: string };
  earlier: SessionSummary;
  now: SessionSummary;
  /** Calls that were run again, or answered from the recording. */
  calls: number;
  differences: Difference[];
  /** Calls that were answered from the recording, and files that could not be compared because of that. */
  answered: AnsweredCall[];
  notCompared: { path: string; why: string }[];
  /** The recording has no end of the session: nothing after it could be compared. */
  breaksOff: boolean;
  notes: string[];
  /** SHA-256 over the session as it went now, with recorded tools. */
  digest?: string;
  /** The session as it went now, event by event, with recorded tools. */
  transcript?: unknown[];
}
