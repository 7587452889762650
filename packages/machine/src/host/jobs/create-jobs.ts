import type { Job, Jobs, JobsParts, OpenJobs } from './jobs.js';

/** Loads nothing before the first job. */
export function createJobs(parts: JobsParts): Jobs {
  const listeners = new Set<(job: Job) => void>();
  const tell = (job: Job): void => {
    for (const listener of listeners) listener(job);
  };
  let opened: OpenJobs | undefined;
  const load = async (): Promise<OpenJobs> =>
    (opened ??= (await import('./open-jobs.js')).openJobs(parts, tell));
  return {
    start: async (request) => (await load()).start(request),
    adopt: async (running, about) => (await load()).adopt(running, about),
    list: async () => (await opened?.list()) ?? [],
    notes: () => opened?.notes() ?? [],
    get: async (id) => (await load()).get(id),
    output: async (id, options) => (await load()).output(id, options),
    untilReady: async (id, when) => (await load()).untilReady(id, when),
    input: async (id, text, by) => (await load()).input(id, text, by),
    stop: async (id, reason) => (await load()).stop(id, reason),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end: async (reason) => opened?.end(reason),
  };
}
