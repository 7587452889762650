import { readFile } from 'node:fs/promises';
import {
  type Agent,
  type AgentEvent,
  type AgentResult,
  isToolError,
  ModelError,
  SettingsError,
  type State,
  wordQuestion,
} from '@toolwright/core';
import {
  type CheckResult,
  checkWork,
  createClock,
  deadlineIn,
  messageOf,
  openSessionsApart,
  type ParkedQuestion,
  parkedQuestions,
  putJournal,
} from '@toolwright/core/front-end';
import type { Objects } from '../engine/engine.js';
import { patchOf } from '../results/patch.js';
import { fromPortable, type PortableChanges, portableIn, toPortable } from '../results/portable-changes.js';
import {
  type KeptQuestion,
  noUsage,
  objectName,
  type Snapshot,
  type TaskBase,
  type TaskFailure,
  type TaskOutcome,
  type TaskUsage,
} from '../schedule/record.js';
import type { Task } from '../tasks/task.js';
import { CloneError, type openClones } from './clones.js';

/** A question of a task with its title, as people read it in a list. */
export type AskedQuestion = ParkedQuestion & { title: string };

/** The end of a delivery. */
export type TaskEnd =
  | { kind: 'done'; outcome: TaskOutcome; usage: TaskUsage }
  | { kind: 'parked'; questions: AskedQuestion[]; usage: TaskUsage }
  | { kind: 'failed'; failure: TaskFailure; usage: TaskUsage; outcome?: TaskOutcome }
  /** The signal ended it. */
  | { kind: 'stopped'; usage: TaskUsage };

/** A delivery as the worker hands it to a run: its claim, questions and budget, and where results go. */
export interface TaskDoing {
  token: string;
  resume: Snapshot | null;
  /** The questions, with the answers that the user has given meanwhile. */
  questions: KeptQuestion[];
  usage: TaskUsage;
  signal: AbortSignal;
  /** The store for journal and changes of this delivery. */
  objects: Objects;
  /** Saves a snapshot, from which another worker goes on from now on, and what this delivery has used; false: somebody else has the task. */
  saved(snapshot: Snapshot, usage: TaskUsage): Promise<boolean>;
  log(line: string): void;
  beforeRequest(provider: string, signal: AbortSignal, hasOther?: boolean): Promise<void>;
  tokens(provider: string, used: number): void;
  retried(provider: string, retry: { kind: string; inMs: number }): void;
}

/** An agent for a task, opened by the program with the rights of this worker. */
export type OpenTaskAgent = (options: OpenTaskOptions) => Promise<OpenedTask>;

/** The task to open, and its folder. */
export interface OpenTaskOptions {
  task: Task;
  folder: string;
  /** A clone: nobody vouches for what is in it. */
  isClone: boolean;
  session: { id: string; isResumed: boolean };
  questions: readonly KeptQuestion[];
  /** The part of the budget that earlier deliveries have used. */
  used: TaskUsage;
  onEvent(event: AgentEvent): void;
  beforeRequest(signal: AbortSignal, asked: { provider: string; hasOther?: boolean }): Promise<void>;
  checkpoint(at: 'calls' | 'responses', result: AgentResult): Promise<void>;
}

/** A task that was opened, ready to be worked on. */
export interface OpenedTask {
  agent: Agent;
  /** Works on the prompt of the task. */
  work(signal: AbortSignal): Promise<AgentResult>;
}

/** The needs of running a task. */
export interface RunTaskNeeds {
  open: OpenTaskAgent;
  clones: ReturnType<typeof openClones>;
  /** The folder, if the worker may work in it; throws a `SettingsError` where it may not. */
  folderFor(path: string): string;
  state: State;
  /** Takes the secrets of this worker out of a sentence. */
  safe(text: string): string;
}

const END_LIMIT_MS = 120_000;
const CHECK_LIMIT_MS = 600_000;

/** Runs a task in a session apart, from its beginning or from where another worker was. */
export async function runTask(task: Task, doing: TaskDoing, needs: RunTaskNeeds): Promise<TaskEnd> {
  const used = { now: noUsage };
  try {
    const base = await baseOf(task, doing, needs);
    const earlier = await earlierChanges(task, doing);
    return await workOn(task, base, { ...doing, ...needs, earlier, used });
  } catch (error) {
    const usage = used.now;
    if (doing.signal.aborted) return { kind: 'stopped', usage };
    const failure = failureOf(error);
    return { kind: 'failed', failure: { ...failure, message: needs.safe(failure.message) }, usage };
  }
}

async function baseOf(task: Task, { resume, signal }: TaskDoing, needs: RunTaskNeeds): Promise<TaskBase> {
  const { workspace } = task;
  if (workspace.kind === 'folder') return { folder: needs.folderFor(workspace.path) };
  return needs.clones.folderOf(workspace, resume?.base.commit, signal);
}

async function earlierChanges(task: Task, { resume, objects }: TaskDoing): Promise<PortableChanges | null> {
  const bytes = resume && (await objects.get(objectName({ id: task.id, token: resume.token }, 'changes')));
  return bytes && portableIn(Buffer.from(bytes).toString('utf8'));
}

/** `earlier`: the changes of the delivery that this one goes on from. `used`: what this one has used so far. */
type Working = TaskDoing & RunTaskNeeds & { earlier: PortableChanges | null; used: { now: TaskUsage } };

async function workOn(task: Task, base: TaskBase, working: Working): Promise<TaskEnd> {
  const { resume, signal, token, state } = working;
  const session = resume?.session ?? `task-${task.id}`;
  const journal =
    resume && (await working.objects.get(objectName({ id: task.id, token: resume.token }, 'journal')));
  await dropLeftover(state, session);
  await putJournal({ state, workspace: base.folder, id: session }, journal);
  let agent: Agent | null = null;
  const snapshot: Snapshot = { token, session, base };
  let begun = performance.now();
  const opened = await working.open({
    task,
    folder: base.folder,
    isClone: task.workspace.kind === 'git',
    session: { id: session, isResumed: journal !== null },
    questions: working.questions,
    used: working.usage,
    onEvent: (event) => hear(event, agent, working),
    beforeRequest: (inner, { provider, hasOther }) => working.beforeRequest(provider, inner, hasOther),
    checkpoint(at, result) {
      working.used.now = usageOf(result, begun);
      return save(agent!, { at, snapshot, task, working });
    },
  });
  agent = opened.agent;
  try {
    await agent.apart.begin({ prompt: task.prompt, say: working.log }, signal);
    await restore(agent, base, working);
    const answered = working.questions.some(({ answer }) => answer);
    begun = performance.now();
    const result = answered && agent.isParked ? await agent.goOn(signal) : await opened.work(signal);
    working.used.now = usageOf(result, begun);
    return await endOf(result, agent, { task, base, working, snapshot });
  } finally {
    await agent.apart.drop('all', deadlineIn(END_LIMIT_MS)).catch(() => undefined);
    await agent.close();
    await removeJournal(agent);
  }
}

/** A worker that was killed on this machine leaves its view and its journal; the store has what counts. */
async function dropLeftover(state: State, session: string): Promise<void> {
  const folders = await openSessionsApart(state);
  const id = await folders.ofSession(session);
  if (id !== null) await folders.remove(id);
}

/** The journal is in the store; a thousand tasks would leave a thousand files here. */
async function removeJournal(agent: Agent): Promise<void> {
  const { rm } = await import('node:fs/promises');
  await rm(agent.session.journalPath, { force: true });
}

function hear(event: AgentEvent, agent: Agent | null, working: Working): void {
  const provider = agent?.model.provider ?? '';
  const safe = (text: string): string => agent?.redactor.text(text) ?? text;
  if (event.type === 'call-start') working.log(safe(`· ${event.description}`));
  if (event.type === 'call-end' && event.error) working.log(safe(`  ${event.error.message.split('\n')[0]}`));
  if (event.type === 'notice' || event.type === 'answer-restart') {
    working.log(safe(event.message));
    if (event.retry) working.retried(event.retry.provider ?? provider, event.retry);
  }
  if (event.type === 'usage-report')
    working.tokens(event.provider, event.usage.inputTokens + event.usage.outputTokens);
}

interface Saving {
  at: 'calls' | 'responses';
  snapshot: Snapshot;
  task: Task;
  working: Working;
}

/**
 * Changes come before the journal: a worker that ends in between leaves a call which counts as interrupted, and may have been
 * carried out.
 */
async function save(agent: Agent, { at, snapshot, task, working }: Saving): Promise<void> {
  const { objects, token, earlier } = working;
  // The first snapshot of a delivery that goes on has the changes it began with.
  const portable =
    at === 'responses' ? (await portableOf(agent, snapshot.base.folder, working)).portable : earlier;
  if (portable)
    await objects.put(objectName({ id: task.id, token }, 'changes'), Buffer.from(JSON.stringify(portable)));
  await objects.put(objectName({ id: task.id, token }, 'journal'), await readFile(agent.session.journalPath));
  await working.saved(snapshot, working.used.now);
}

async function restore(agent: Agent, base: TaskBase, { earlier, signal }: Working): Promise<void> {
  if (!earlier || isEmpty(earlier)) return;
  await agent.changes.commit(fromPortable(earlier, base.folder, agent.host.ids.next()), { signal });
}

function isEmpty({ changes, directories, removedDirectories }: PortableChanges): boolean {
  return changes.length + directories.length + removedDirectories.length === 0;
}

async function portableOf(agent: Agent, folder: string, { earlier }: Working) {
  const reviewed = await agent.apart.review(deadlineIn(END_LIMIT_MS));
  const ignore = agent.host.ignore.view();
  const portable = await toPortable(reviewed.planned, folder, {
    why(path, bytes) {
      // Ignored files are made again by whoever needs them.
      if (ignore.isIgnored(path, 'file')) return '';
      const text = bytes && Buffer.from(bytes).toString('utf8');
      return text && agent.redactor.known(text) !== text ? 'it holds a secret of this machine' : null;
    },
  });
  const refused = reviewed.refused.map(({ path, why }) => `${agent.host.workspace.show(path)}: ${why}`);
  // Files that an earlier delivery left out can't be found again here.
  const leftOut = [...new Set([...(earlier?.leftOut ?? []), ...portable.leftOut, ...refused])];
  return { portable: { ...portable, leftOut }, reviewed };
}

interface Ending {
  task: Task;
  base: TaskBase;
  working: Working;
  snapshot: Snapshot;
}

async function endOf(result: AgentResult, agent: Agent, ending: Ending): Promise<TaskEnd> {
  const { working, task } = ending;
  const usage = working.used.now;
  if (working.signal.aborted || result.reason === 'cancelled') return { kind: 'stopped', usage };
  if (result.reason === 'parked') {
    await save(agent, { at: 'responses', snapshot: ending.snapshot, task, working });
    return { kind: 'parked', questions: askedBy(agent, result.parked ?? []), usage };
  }
  await agent.commands.shell.jobs.end({ kind: 'shutdown' });
  const isWhole = result.reason === 'done';
  const check =
    isWhole && task.check !== undefined ? await runCheck(task.check, agent, working.signal) : undefined;
  const outcome = await outcomeOf(result, agent, { ...ending, check });
  if (working.signal.aborted) return { kind: 'stopped', usage };
  if (check && !check.passed)
    return {
      kind: 'failed',
      failure: { kind: 'check', message: `The check failed: ${check.ended}.` },
      usage,
      outcome,
    };
  if (isWhole) return { kind: 'done', outcome, usage };
  const failure = result.error ?? { kind: result.reason, message: `Stopped at its limit: ${result.reason}.` };
  const message = agent.redactor.text(failure.message);
  const { provider = agent.model.provider } = result.error ?? {};
  return { kind: 'failed', failure: { ...failure, message, provider }, usage, outcome };
}

function askedBy({ host, redactor }: Agent, parked: NonNullable<AgentResult['parked']>): AskedQuestion[] {
  const { show } = host.workspace;
  return parkedQuestions(parked, redactor).map((question) => ({
    ...question,
    title: wordQuestion(question.request, { show }).title,
  }));
}

function runCheck(command: string, agent: Agent, signal: AbortSignal): Promise<CheckResult> {
  return checkWork(agent, { command, limitMs: CHECK_LIMIT_MS, clock: createClock(), signal });
}

const RESPONSE_LENGTH = 4_000;

async function outcomeOf(
  { response }: AgentResult,
  agent: Agent,
  { task, base, working, check }: Ending & { check: CheckResult | undefined },
): Promise<TaskOutcome> {
  const { portable, reviewed } = await portableOf(agent, base.folder, working);
  const { objects, token } = working;
  if (portable.changes.length > 0) {
    await objects.put(objectName({ id: task.id, token }, 'changes'), Buffer.from(JSON.stringify(portable)));
    await objects.put(
      objectName({ id: task.id, token }, 'patch'),
      Buffer.from(await patchOf(portable, base.folder)),
    );
  }
  await objects.put(objectName({ id: task.id, token }, 'journal'), await readFile(agent.session.journalPath));
  const { items, summary } = reviewed.review;
  const sum = (key: 'added' | 'removed'): number => items.reduce((total, item) => total + item[key], 0);
  return {
    response: agent.redactor.text(response.slice(-RESPONSE_LENGTH)),
    summary: portable.changes.length === 0 ? '' : summary,
    files: portable.changes.length,
    added: sum('added'),
    removed: sum('removed'),
    leftOut: portable.leftOut,
    check: check ? { ...check, output: agent.redactor.text(check.output) } : undefined,
    base,
  };
}

function usageOf({ turns, calls, usage, cost = 0 }: AgentResult, begun: number): TaskUsage {
  const { inputTokens, outputTokens } = usage;
  return { turns, calls, inputTokens, outputTokens, cost, ms: Math.round(performance.now() - begun) };
}

function failureOf(error: unknown): TaskFailure {
  if (error instanceof ModelError)
    return {
      kind: error.kind,
      message: error.message,
      retryAfterMs: error.retryAfterMs,
      provider: error.provider,
    };
  // A command or a change that was refused is refused the next time, too.
  if (isToolError(error)) return { kind: 'refused', message: error.message };
  if (error instanceof CloneError) return { kind: 'clone', message: error.message };
  return { kind: error instanceof SettingsError ? 'settings' : 'internal', message: messageOf(error) };
}
