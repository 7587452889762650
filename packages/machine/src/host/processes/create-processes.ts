import type { Processes, ProcessesParts } from './processes.js';

/** Loads nothing before the first command. */
export function createProcesses(parts: ProcessesParts): Processes {
  const load = async () => (opened ??= (await import('./open-processes.js')).openProcesses(parts));
  let opened: Processes | undefined;
  return {
    run: async (launch, options) => (await load()).run(launch, options),
    start: async (launch, options) => (await load()).start(launch, options),
    limits: async () => (await load()).limits(),
    reap: async (signal) => (await load()).reap(signal),
    end: async (reason) => opened?.end(reason),
  };
}
