import { Script } from 'node:vm';

const LIMIT_MS = 250;
const WORK = Symbol.for('toolwright.work-within-time');

let script: Script | undefined;

/**
 * Runs `work` within a limit of processor time, or throws. Only a script can be cut short, so one runs the work. If
 * the machine was busy with something else, the work is repeated with more patience: it must be repeatable.
 */
export function withinTime<Result>(work: () => Result, limitMs = LIMIT_MS): Result {
  for (let patienceMs = limitMs * 1.2, used = 0; ; patienceMs *= 2) {
    const before = process.cpuUsage();
    const outcome = attempt(work, patienceMs);
    if ('result' in outcome) return outcome.result;
    const { user, system } = process.cpuUsage(before);
    used += (user + system) / 1000;
    if (used >= limitMs)
      throw new Error(`it takes more than ${limitMs} ms to check a value against its patterns`);
  }
}

function attempt<Result>(work: () => Result, patienceMs: number): { result: Result } | { cut: true } {
  const place = globalThis as unknown as Record<symbol, unknown>;
  script ??= new Script(`globalThis[Symbol.for(${JSON.stringify(WORK.description)})]()`);
  place[WORK] = work;
  try {
    return { result: script.runInThisContext({ timeout: patienceMs }) as Result };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { cut: true };
    throw error;
  } finally {
    delete place[WORK];
  }
}
