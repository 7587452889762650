import type { Job, Jobs, JobsOptions, OpenJobs } from './jobs.js';

/** Loads nothing before the first job. */
export function createJobs(options: JobsOptions): Jobs {
  const listeners = new Set<(job: Job) => void>();
  const tell = (job: Job): void => {
    for (const listener of listeners) listener(job);
  };
  let opened: OpenJobs | undefined;
  const load = async (): Promise<OpenJobs> =>
    (opened ??= (await import('./open-jobs.js')).openJobs(options, tell));
  return {
    start: async (request) => (await load()).start(request),
    adopt: async (running, about) => (await load()).adopt(running, about),
    list: async () => (await opened?.list()) ?? [],
    notes: () => opened?.notes() ?? [],
    get: async (id) => (await load()).get(id),
    output: async (id, part) => (await load()).output(id, part),
    untilEndedOrWaiting: async (id, limit) => (await load()).untilEndedOrWaiting(id, limit),
    input: async (id, text, by) => (await load()).input(id, text, by),
    stop: async (id, reason) => (await load()).stop(id, reason),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end: async (reason) => opened?.end(reason),
  };
}
