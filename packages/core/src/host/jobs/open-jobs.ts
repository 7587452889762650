import { join } from 'node:path';
import { ToolError } from '../../base/errors.js';
import { openCappedFile } from '../processes/output/capped-file.js';
import type { Running } from '../processes/processes.js';
import { type Entry, outputOf, pictureOf } from './entry.js';
import type { Job, JobAbout, JobsParts, OpenJobs } from './jobs.js';
import { untilReady } from './readiness.js';

const MAX_LOG_BYTES = 8 * 1024 * 1024;
/** Of those that have ended; the oldest are forgotten, their logs stay. */
const MOST_ENDED = 50;

export function openJobs(parts: JobsParts, tell: (job: Job) => void): OpenJobs {
  const { processes, clock, log } = parts;
  const entries = new Map<string, Entry>();
  const all = new AbortController();
  let count = 0;

  const find = (id: string): Entry => {
    const entry = entries.get(id);
    if (entry) return entry;
    const there = [...entries.keys()].join(', ');
    const next = there ? `There are ${there}.` : 'There are no jobs in this session.';
    throw new ToolError('not_found', `There is no job ${JSON.stringify(id)}. ${next}`);
  };
  const tellOf = async (entry: Entry): Promise<void> => {
    try {
      tell(await pictureOf(entry));
    } catch (error) {
      log.error('a listener to jobs failed', error);
    }
  };

  async function adopt(running: Running, about: JobAbout): Promise<Job> {
    const entry = await createEntry({ running, about, id: `job-${++count}` }, parts);
    entries.set(entry.id, entry);
    running.release();
    running.listenTo(all.signal);
    void entry.over.then(() => {
      forgetOldest(entries);
      return tellOf(entry);
    });
    await tellOf(entry);
    return pictureOf(entry);
  }

  return {
    adopt,
    async start({ launch, terminal, maxProcesses, ...about }) {
      const running = await processes.start(launch, {
        signal: all.signal,
        follow: 'tree',
        merge: true,
        ...(terminal ? { terminal } : {}),
        ...(maxProcesses === undefined ? {} : { maxProcesses }),
      });
      return adopt(running, about);
    },
    list: () => Promise.all([...entries.values()].map(pictureOf)),
    get: async (id) => pictureOf(find(id)),
    output: async (id, options) => outputOf(find(id), options),
    untilReady: async (id, when) => untilReady(find(id), when, clock),
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
      await Promise.all([...entries.values()].map(({ running }) => running.stop(reason)));
      await Promise.all([...entries.values()].map(({ over }) => over));
    },
  };
}

async function refuseSecrets({ id, running, ended }: Entry, by: 'model' | 'person'): Promise<void> {
  if (ended) throw new ToolError('conflict', `${id} has ended and reads nothing any more.`);
  if (by === 'person' || !(await running.hidesInput())) return;
  const prompt = running.blocked()?.prompt;
  throw new ToolError(
    'denied',
    `${id} asks for something that is not shown while it is typed${prompt ? ` (${JSON.stringify(prompt)})` : ''}. Only the person may answer that: tell them, or stop the job and use a way that needs no password.`,
  );
}

/** Nothing comes between what was kept so far and what is written from now on. */
async function createEntry(
  { running, about, id }: Pick<Entry, 'running' | 'about' | 'id'>,
  { clock, ids, state, maxLogBytes = MAX_LOG_BYTES }: JobsParts,
): Promise<Entry> {
  const logPath = join(await state.make('jobs'), `${ids.next()}.log`);
  const log = await openCappedFile({ path: logPath, maxBytes: maxLogBytes });
  log.add(running.kept());
  running.watch((bytes) => log.add(bytes));
  const entry: Entry = {
    id,
    about: { command: about.command, directory: about.directory },
    running,
    log,
    logPath,
    startedAt: clock.now(),
    ended: null,
    over: running.ended.then(async (how) => {
      // An end that is told is one whose log is complete.
      await log.close();
      entry.ended = { at: clock.now(), how };
    }),
  };
  return entry;
}

function forgetOldest(entries: Map<string, Entry>): void {
  const ended = [...entries.values()].filter((entry) => entry.ended);
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) entries.delete(id);
}
