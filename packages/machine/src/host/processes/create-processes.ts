import { deadlineIn } from '../deadline.js';
import type { Place } from '../plain-files/place.js';
import type { Processes } from './processes.js';
import type { ProcessesOptions } from './processes-options.js';

const REAP_LIMIT_MS = 5_000;

/** Processes that start where they see the files of a place; one that starts nothing and reads nothing stays outside. */
export function processesIn(place: Pick<Place, 'enter'>, processes: Processes): Processes {
  return {
    ...processes,
    run: (launch, how) => processes.run(how.startsNothing ? launch : place.enter(launch), how),
    start: (launch, how) => processes.start(how.startsNothing ? launch : place.enter(launch), how),
  };
}

/** Loads nothing before the first command. Processes that an earlier, killed run left behind end before the first start. */
export function createProcesses(options: ProcessesOptions): Processes {
  let opened: Processes | undefined;
  let reaped: Promise<unknown> | undefined;
  const load = async () => (opened ??= (await import('./open-processes.js')).openProcesses(options));
  const loadReaped = async () => {
    const processes = await load();
    await (reaped ??= processes.reap(deadlineIn(REAP_LIMIT_MS)).catch((error: unknown) => {
      options.log.error('what an earlier run left behind could not be ended', error);
    }));
    return processes;
  };
  return {
    run: async (launch, how) => (await loadReaped()).run(launch, how),
    start: async (launch, how) => (await loadReaped()).start(launch, how),
    limits: async () => (await load()).limits(),
    reap: async (signal) => (await load()).reap(signal),
    end: async (reason) => opened?.end(reason),
  };
}
