import type { ReviewItem } from '@toolwright/machine/changes/review/review.js';
import type { AgentEvent, AgentResult } from '../../agent/events.js';

/** The race as it stands: plain data, made from events by `reduceRace`. */
export interface RaceState {
  runners: readonly RunnerState[];
}

/** A session of a race. */
export interface RunnerState {
  /** The number, counted from 1. */
  number: number;
  /** Empty until its session has begun, unless one was asked for. */
  model: string;
  phase: 'waiting' | 'working' | 'checking' | 'ended';
  /** The session apart, by which its work can be kept later; null until it has begun. */
  id: string | null;
  turns: number;
  tokens: number;
  /** Files it changed so far, as they are shown. */
  files: readonly string[];
  /** Calls that were refused because nobody could be asked. */
  refused: number;
  startedAtMs: number | null;
  endedAtMs: number | null;
  check: CheckResult | null;
  /** Null while it runs. */
  end: RunnerEnd | null;
}

/** The end of a session: why it ended, and what it changed. Plain data. */
export interface RunnerEnd {
  reason: AgentResult['reason'];
  /** The text of its last answer. */
  response: string;
  /** Set when it failed. */
  error: { kind: string; message: string } | null;
  /** Null when it changed nothing. */
  work: RunnerWork | null;
}

/** The changes of a session, in numbers. */
export interface RunnerWork {
  /** Names exactly these changes. */
  digest: string;
  /** "2 files deleted, 3 files changed". */
  summary: string;
  /** Changed files like `ReviewItem`, with paths as they are shown. */
  files: readonly Pick<ReviewItem, 'path' | 'change' | 'added' | 'removed' | 'warnings'>[];
  added: number;
  removed: number;
}

/** The end of the race's check for one session. */
export interface CheckResult {
  passed: boolean;
  /** "exit code 1", "stopped at the time limit of 600 s". */
  ended: string;
  /** The last lines that it printed. */
  output: string;
  durationMs: number;
}

/** An event that a race tells while it runs. */
export type RaceEvent =
  | { type: 'runner-started'; number: number; atMs: number }
  | { type: 'session-begun'; number: number; id: string | null; model: string }
  | { type: 'agent'; number: number; event: AgentEvent }
  | { type: 'check-started'; number: number }
  | { type: 'check-ended'; number: number; check: CheckResult }
  | { type: 'runner-ended'; number: number; atMs: number; end: RunnerEnd };

/** A race of so many sessions, with the model of each where one was asked for. */
export function initialRace(models: readonly (string | undefined)[]): RaceState {
  return {
    runners: models.map((model = '', index) => ({
      number: index + 1,
      model,
      phase: 'waiting',
      id: null,
      turns: 0,
      tokens: 0,
      files: [],
      refused: 0,
      startedAtMs: null,
      endedAtMs: null,
      check: null,
      end: null,
    })),
  };
}

export function reduceRace(state: RaceState, event: RaceEvent): RaceState {
  return {
    ...state,
    runners: state.runners.map((runner) =>
      runner.number === event.number ? { ...runner, ...changeOf(runner, event) } : runner,
    ),
  };
}

function changeOf(runner: RunnerState, event: RaceEvent): Partial<RunnerState> {
  switch (event.type) {
    case 'runner-started':
      return { phase: 'working', startedAtMs: event.atMs };
    case 'session-begun':
      return { id: event.id, model: event.model };
    case 'agent':
      return heard(runner, event.event);
    case 'check-started':
      return { phase: 'checking' };
    case 'check-ended':
      return { check: event.check };
    case 'runner-ended':
      return ended(runner, event.end, event.atMs);
  }
}

function heard(runner: RunnerState, event: AgentEvent): Partial<RunnerState> {
  switch (event.type) {
    // A report comes with each answer; the result corrects the count for models that send none.
    case 'usage-report': {
      const { inputTokens, outputTokens } = event.usage;
      const turns = runner.turns + (event.purpose === undefined ? 1 : 0);
      return { turns, tokens: runner.tokens + inputTokens + outputTokens };
    }
    case 'call-ask':
      return { refused: runner.refused + 1 };
    case 'call-end': {
      const { display } = event;
      if (typeof display === 'string' || display.kind !== 'diff' || event.error) return {};
      return { files: [...new Set([...runner.files, ...display.files.map(({ path }) => path)])] };
    }
    case 'result': {
      const { turns, usage, denials } = event.result;
      return {
        turns,
        tokens: usage.inputTokens + usage.outputTokens,
        refused: denials.filter(({ by }) => by === 'nobody-to-ask').length,
      };
    }
    default:
      return {};
  }
}

function ended(runner: RunnerState, end: RunnerEnd, atMs: number): Partial<RunnerState> {
  const startedAtMs = runner.startedAtMs ?? atMs;
  return { phase: 'ended', end, startedAtMs, endedAtMs: atMs, files: filesOf(end.work) };
}

function filesOf(work: RunnerWork | null): string[] {
  return work?.files.map(({ path }) => path) ?? [];
}
