import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../../base/errors.js';
import type { Clock } from '../host.js';
import { type CappedFile, openCappedFile } from '../processes/output/capped-file.js';
import { withoutOpenEnd } from '../processes/output/utf8-cuts.js';
import type { Ended, Running } from '../processes/processes.js';
import type { Job, JobAbout, JobOutput, JobRequest, JobStatus, JobsOptions, OpenJobs } from './jobs.js';

const MAX_LOG_BYTES = 8 * 1024 * 1024;
/** Ended jobs to remember; older ones are forgotten, but their logs stay. */
const MOST_ENDED = 50;
const LOOK_MS = 100;

/** The jobs of one conversation, and what they stand on. */
interface JobRoom extends JobsOptions {
  entries: Map<string, JobEntry>;
  /** Jobs so far, for the next id. */
  count: number;
  tell(job: Job): void;
}

export function openJobs(options: JobsOptions, tell: (job: Job) => void): OpenJobs {
  const entries = new Map<string, JobEntry>();
  const room: JobRoom = { ...options, entries, count: 0, tell };
  const find = (id: string): JobEntry => entryNamed(id, entries);
  return {
    adopt: (running, about) => adopt(room, running, about),
    start: (request) => start(room, request),
    list: () => Promise.all([...entries.values()].map(pictureOf)),
    notes: () => [...entries.values()].flatMap(({ id, notes }) => notes().map((note) => ({ id, note }))),
    get: async (id) => pictureOf(find(id)),
    output: async (id, part) => outputOf(find(id), part),
    untilEndedOrWaiting: async (id, limit) =>
      untilEndedOrWaiting(find(id), { ...limit, clock: options.clock }),
    async input(id, text, by) {
      const entry = find(id);
      await refuseSecrets(entry, by);
      await entry.running.write(text);
      return pictureOf(entry);
    },
    async stop(id, reason = { kind: 'user' }) {
      const entry = find(id);
      await entry.running.stop(reason);
      await entry.over;
      return pictureOf(entry);
    },
    async end(reason = { kind: 'shutdown' }) {
      const all = [...entries.values()];
      await Promise.all(all.map(({ running }) => running.stop(reason)));
      await Promise.all(all.map(({ over }) => over));
    },
  };
}

function entryNamed(id: string, entries: ReadonlyMap<string, JobEntry>): JobEntry {
  const entry = entries.get(id);
  if (entry) return entry;
  const there = [...entries.keys()];
  const next =
    there.length === 0
      ? 'There are no jobs in this session.'
      : `There ${there.length === 1 ? 'is' : 'are'} ${there.join(', ')}.`;
  throw new ToolError('not_found', `There is no job ${JSON.stringify(id)}. ${next}`);
}

async function start(room: JobRoom, request: JobRequest): Promise<Job> {
  const log = await newLog(room);
  try {
    const running = await room.processes.start(request.launch, {
      signal: signalOf(request),
      follow: 'tree',
      merge: true,
      onBytes: (bytes) => log.file.add(bytes),
      terminal: request.terminal,
    });
    return await enter(room, { running, about: request, log });
  } catch (error) {
    await log.file.close();
    await rm(log.path, { force: true });
    throw error;
  }
}

async function adopt(room: JobRoom, running: Running, about: JobAbout): Promise<Job> {
  const log = await newLog(room);
  // The two calls stand together: nothing comes between the output kept so far and what is written from now on.
  log.file.add(running.kept());
  running.watch((bytes) => log.file.add(bytes));
  running.release();
  running.listenTo(signalOf(about));
  return enter(room, { running, about, log });
}

function signalOf({ signal }: JobAbout): AbortSignal {
  return signal ?? new AbortController().signal;
}

async function enter(room: JobRoom, begun: Begun): Promise<Job> {
  const entry = createEntry(`job-${++room.count}`, begun, room.clock);
  room.entries.set(entry.id, entry);
  void entry.over.then(() => {
    forgetOldest(room.entries);
    return tellOf(room, entry);
  });
  await tellOf(room, entry);
  return pictureOf(entry);
}

async function tellOf({ tell, log }: JobRoom, entry: JobEntry): Promise<void> {
  try {
    tell(await pictureOf(entry));
  } catch (error) {
    log.error('a listener to jobs failed', error);
  }
}

async function untilEndedOrWaiting(
  entry: JobEntry,
  { timeoutMs, signal, clock }: { timeoutMs: number; signal: AbortSignal; clock: Clock },
): Promise<void> {
  for (let waited = 0; waited < timeoutMs; waited += LOOK_MS) {
    signal.throwIfAborted();
    if (entry.ended || entry.running.blocked()) return;
    await clock.sleep(LOOK_MS, signal);
  }
}

async function refuseSecrets({ id, running, ended }: JobEntry, by: 'model' | 'user'): Promise<void> {
  if (ended) throw new ToolError('conflict', `${id} has ended and reads nothing any more.`);
  if (by === 'user' || !(await running.hidesInput())) return;
  const prompt = running.blocked()?.prompt;
  throw new ToolError(
    'denied',
    `${id} asks for something that is not shown while it is typed${prompt ? ` (${JSON.stringify(prompt)})` : ''}. Only the user may answer that: tell them, or stop the job and use a way that needs no password.`,
  );
}

interface JobLog {
  file: CappedFile;
  path: string;
}

async function newLog({ state, ids, maxLogBytes = MAX_LOG_BYTES }: JobsOptions): Promise<JobLog> {
  const path = join(await state.make('jobs'), `${ids.next()}.log`);
  return { file: await openCappedFile({ path, maxBytes: maxLogBytes }), path };
}

/** A command that just became a job. */
interface Begun {
  running: Running;
  about: JobAbout;
  log: JobLog;
}

function createEntry(id: string, { running, about, log }: Begun, clock: Clock): JobEntry {
  const entry: JobEntry = {
    id,
    about: { command: about.command, directory: about.directory },
    notes: () => about.notes?.() ?? [],
    running,
    log: log.file,
    logPath: log.path,
    startedAt: clock.now(),
    ended: null,
    over: running.ended.then(async (how) => {
      // An end that is told is one whose log is complete.
      await log.file.close();
      const last = entry.notes();
      entry.notes = () => last;
      entry.ended = { at: clock.now(), how };
    }),
  };
  return entry;
}

function forgetOldest(entries: Map<string, JobEntry>): void {
  const ended = [...entries.values()].filter((entry) => entry.ended);
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) entries.delete(id);
}

interface JobEntry {
  id: string;
  about: Pick<JobAbout, 'command' | 'directory'>;
  notes(): readonly string[];
  running: Running;
  log: CappedFile;
  logPath: string;
  startedAt: number;
  ended: { at: number; how: Ended } | null;
  /** Settles when the log is complete. */
  over: Promise<void>;
}

const OUTPUT_BYTES = 64 * 1024;

async function pictureOf(entry: JobEntry): Promise<Job> {
  const ports = entry.ended ? [] : ((await entry.running.ports()) ?? []);
  return {
    id: entry.id,
    ...entry.about,
    pid: entry.running.pid,
    startedAt: entry.startedAt,
    endedAt: entry.ended?.at ?? null,
    status: statusOf(entry),
    logPath: entry.logPath,
    bytes: entry.log.totalBytes(),
    ports,
    notes: entry.notes(),
  };
}

function statusOf({ ended, running }: JobEntry): JobStatus {
  if (ended) {
    const { exitCode, signal, stopped } = ended.how;
    return { kind: 'ended', exitCode, signal, stopped };
  }
  const blocked = running.blocked();
  return blocked ? { kind: 'waiting', blocked } : { kind: 'running' };
}

async function outputOf(
  entry: JobEntry,
  { after = 0, maxBytes = OUTPUT_BYTES }: { after?: number; maxBytes?: number } = {},
): Promise<JobOutput> {
  const asked = Math.max(0, Math.min(after, entry.log.totalBytes()));
  const { from, bytes } = await entry.log.read(asked, maxBytes);
  const whole = withoutOpenEnd(bytes);
  const shown = whole.length > 0 ? whole : bytes;
  const next = from + shown.length;
  return {
    text: shown.toString(),
    from,
    next,
    dropped: from - asked,
    isAtEnd: next >= entry.log.totalBytes(),
    job: await pictureOf(entry),
  };
}
