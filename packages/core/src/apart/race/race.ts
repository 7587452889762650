import { messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
import type { Conflict } from '@toolwright/machine/changes/review/merge-present.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { AgentEvent, AgentResult } from '../../agent/events.js';
import { ModelError } from '../../model/model.js';
import type { KeepApart, SessionApart } from '../session-apart.js';
import type { TryNeeds } from '../try-command.js';
import { refusedUnseenOfWork } from '../unseen-changes.js';
import { bestOf } from './best.js';
import { type Check, checkWork } from './check-work.js';
import { compareWork, type WorkDifference } from './compare-work.js';
import {
  initialRace,
  type RaceEvent,
  type RaceState,
  type RunnerEnd,
  type RunnerState,
  type RunnerWork,
  reduceRace,
} from './race-state.js';

/** An agent whose session has not begun to work apart; what `createAgent` gives is one. */
export interface RaceAgent extends TryNeeds {
  model: { model: string };
  apart: SessionApart;
  close(): Promise<void>;
}

/** An agent, and how it works on the prompt of the race. */
export interface Runner {
  agent: RaceAgent;
  work(signal: AbortSignal): Promise<AgentResult>;
}

/** The session of a race to open. */
export interface RunnerOptions {
  /** The number, counted from 1. */
  number: number;
  model?: string;
  onEvent(event: AgentEvent): void;
}

/** The options of a race: the prompt, the models and the check. */
export interface RaceOptions {
  /** The words the sessions begin with, for the list of sessions. */
  prompt: string;
  /** The model of each session, or undefined for the usual one. */
  models: readonly (string | undefined)[];
  open(options: RunnerOptions): Promise<Runner>;
  /** The command that tells good work from bad. */
  check?: Check;
  /** Sessions that run at the same time. */
  atOnce: number;
  clock: Pick<Clock, 'now'>;
  onEvent?(event: RaceEvent, state: RaceState): void;
  signal: AbortSignal;
}

/** A race that is over: its sessions are open until `close`, and wait on disk afterwards unless they were dropped. */
export interface Race {
  readonly state: RaceState;
  /** The work to keep, or null where nobody has any that may be. */
  best(): RunnerState | null;
  /** The changes of a session; null when it has none. */
  reviewed(number: number): ReviewedWork | null;
  /** Compares two sessions: the changes that would lead from the work of one to that of the other. */
  compare(from: number, to: number, signal: AbortSignal): Promise<WorkDifference>;
  /** Changes that are not kept unless somebody has looked at them, and why. */
  refusedUnseen(number: number): Conflict[];
  keep(number: number, kept: Omit<KeepApart, 'digest'>, signal: AbortSignal): Promise<KeptWork>;
  drop(number: number): Promise<void>;
  close(): Promise<void>;
}

/** The same prompt in several sessions apart, side by side, each checked in its own view. */
export async function runRace(options: RaceOptions): Promise<Race> {
  const entries = new Map<number, Entry>();
  let state = initialRace(options.models);
  const emit = (event: RaceEvent): void => {
    state = reduceRace(state, event);
    options.onEvent?.(event, state);
  };
  const waiting = [...state.runners];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { number, model } = next;
      const entry: Entry = { number, model: model || undefined, runner: null, reviewed: null };
      entries.set(number, entry);
      await run(entry, { ...options, emit });
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.atOnce) }, lane));
  return raceOver(entries, { state, isChecked: options.check !== undefined });
}

/** A session of the race with what must be closed after it. */
interface Entry {
  number: number;
  model: string | undefined;
  runner: Runner | null;
  reviewed: ReviewedWork | null;
}

type RunOptions = RaceOptions & { emit(event: RaceEvent): void };

/** Runs one session to its end; whatever goes wrong is the end of this session alone. */
async function run(entry: Entry, options: RunOptions): Promise<void> {
  const { number } = entry;
  const { clock, emit, signal } = options;
  if (!signal.aborted) emit({ type: 'runner-started', number, atMs: clock.now() });
  let end: RunnerEnd = { reason: 'cancelled', response: '', error: null, work: null };
  try {
    if (!signal.aborted) end = await workAndCheck(entry, options);
  } catch (error) {
    const isCancelled = signal.aborted;
    end = isCancelled ? end : { ...end, reason: 'failed', error: failureOf(error) };
  }
  emit({ type: 'runner-ended', number, atMs: clock.now(), end });
}

async function workAndCheck(entry: Entry, options: RunOptions): Promise<RunnerEnd> {
  const { number, model } = entry;
  const { check, clock, emit, signal } = options;
  const runner = await options.open({
    number,
    model,
    onEvent: (event) => emit({ type: 'agent', number, event }),
  });
  entry.runner = runner;
  const { agent } = runner;
  const say = (message: string): void => emit({ type: 'agent', number, event: { type: 'notice', message } });
  await agent.apart.begin({ prompt: options.prompt, say }, signal);
  emit({ type: 'session-begun', number, id: agent.apart.id, model: agent.model.model });
  const { reason, response, error = null } = await runner.work(signal);
  // A server that the model left running must neither answer the check nor go on changing files.
  await agent.commands.shell.jobs.end({ kind: 'shutdown' });
  if (check && reason !== 'failed' && !signal.aborted) {
    emit({ type: 'check-started', number });
    const result = await checkWork(agent, { ...check, clock, signal });
    if (!signal.aborted) emit({ type: 'check-ended', number, check: result });
  }
  return { reason: signal.aborted ? 'cancelled' : reason, response, error, work: await review(entry) };
}

const REVIEW_LIMIT_MS = 120_000;

/** The session's changes, also of one that was cancelled; a session without any is dropped at once. */
async function review(entry: Entry): Promise<RunnerWork | null> {
  const { agent } = entry.runner!;
  const limit = deadlineIn(REVIEW_LIMIT_MS);
  const reviewed = await agent.apart.review(limit);
  const { items, digest, summary } = reviewed.review;
  if (items.length + reviewed.refused.length === 0) {
    await agent.apart.drop('all', limit);
    return null;
  }
  entry.reviewed = reviewed;
  const { show } = agent.host.workspace;
  const sum = (key: 'added' | 'removed'): number => items.reduce((total, item) => total + item[key], 0);
  return {
    digest,
    summary,
    files: items.map(({ unified: _, path, ...item }) => ({ path: show(path), ...item })),
    added: sum('added'),
    removed: sum('removed'),
  };
}

function failureOf(error: unknown): RunnerEnd['error'] {
  const kind =
    error instanceof ModelError ? error.kind : error instanceof SettingsError ? 'settings' : 'failed';
  return { kind, message: messageOf(error) };
}

function raceOver(
  entries: ReadonlyMap<number, Entry>,
  { state, isChecked }: { state: RaceState; isChecked: boolean },
): Race {
  const agentOf = (number: number): RaceAgent => entries.get(number)!.runner!.agent;
  const reviewed = (number: number): ReviewedWork | null => entries.get(number)?.reviewed ?? null;
  const workOf = (number: number) => ({
    paths: reviewed(number)?.planned.changeSet.changes.map(({ path }) => path) ?? [],
    files: agentOf(number).host.files,
  });
  return {
    state,
    best: () => bestOf(state, { isChecked }),
    reviewed,
    compare: (from, to, signal) =>
      compareWork(workOf(from), workOf(to), { show: agentOf(from).host.workspace.show, signal }),
    refusedUnseen(number) {
      const work = reviewed(number);
      return work ? [...refusedUnseenOfWork(work, 'all', agentOf(number)), ...work.refused] : [];
    },
    keep: (number, kept, signal) =>
      agentOf(number).apart.keep({ ...kept, digest: reviewed(number)!.review.digest }, signal),
    drop: (number) => agentOf(number).apart.drop('all', deadlineIn(REVIEW_LIMIT_MS)),
    async close() {
      for (const { runner } of entries.values()) await runner?.agent.close();
    },
  };
}
