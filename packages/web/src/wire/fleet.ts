import type { ParkedQuestion } from '@toolwright/core/front-end';

/** The page's view of a fleet. The engine's own data pass through unchanged, as far as the page reads them. */
export const taskStates = ['parked', 'running', 'failed', 'poison', 'done', 'cancelled', 'queued'] as const;

/** The state of a task. */
export type TaskState = (typeof taskStates)[number];

/** The turns, calls, tokens and cost of tasks. */
export interface TaskUsage {
  turns: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Dollars, where the prices are known. */
  cost: number;
}

/** The number of tasks in each state, what they have used, and the latest failure. */
export interface FleetStatus {
  states: Record<TaskState, number>;
  usage: TaskUsage;
  lastFailure: { id: string; title: string; message: string } | null;
}

/** A task, as the fleet keeps it. */
export interface TaskRecord {
  task: {
    id: string;
    prompt: string;
    workspace: { kind: 'folder'; path: string } | { kind: 'git'; url: string; ref?: string };
    model?: string;
    budget?: { turns?: number; tokens?: number; minutes?: number; cost?: number };
    check?: string;
    labels: string[];
  };
  title: string;
  state: TaskState;
  worker?: string;
  attempts: number;
  startedAt?: number;
  endedAt?: number;
  usage: TaskUsage;
  snapshot?: { base: { folder: string } };
  questions?: { digest: string; title: string; answer?: ParkedQuestion['answer'] }[];
  outcome?: {
    response: string;
    summary: string;
    files: number;
    added: number;
    removed: number;
    leftOut: string[];
    check?: { passed: boolean; ended: string; output: string };
  };
  failure?: { kind: string; message: string };
}

/** The head of the board. */
export interface FleetBoard extends FleetStatus {
  /** The fleet's place, in words. */
  place: string;
  /** Tasks that end in a minute, by those of the last minutes; null where none ended. */
  perMinute: number | null;
  /** Null where it is not known. */
  leftMs: number | null;
  /** Changes whenever a task does. */
  stamp: number;
  /** Why the fleet can't be read. */
  problem: string | null;
}

/** A task in a list. */
export interface TaskRow extends Pick<TaskRecord, 'title' | 'state' | 'worker' | 'startedAt' | 'endedAt'> {
  id: string;
  /** The folder, or the repository with its ref. */
  place: string;
  labels: string[];
  tokens: number;
  cost: number;
  /** `2 files changed`. */
  summary: string;
  added: number;
  removed: number;
  /** Why it failed. */
  why: string;
  /** Its questions, in words. */
  asks: string[];
}
