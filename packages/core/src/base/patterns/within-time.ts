import { Script } from 'node:vm';

const LIMIT_MS = 250;
const WORK = Symbol.for('toolwright.work-within-time');

let script: Script | undefined;

/** Work that must end at once, and throws when it does not: only a script can be cut short, so it is run by one. */
export function withinTime<Result>(work: () => Result, limitMs = LIMIT_MS): Result {
  const place = globalThis as unknown as Record<symbol, unknown>;
  script ??= new Script(`globalThis[Symbol.for(${JSON.stringify(WORK.description)})]()`);
  place[WORK] = work;
  try {
    return script.runInThisContext({ timeout: limitMs }) as Result;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Error(`it takes more than ${limitMs} ms to check a value against its patterns`);
    throw error;
  } finally {
    delete place[WORK];
  }
}
