import { Worker } from 'node:worker_threads';
import { formatNumber } from '@toolwright/machine/base/amounts.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import {
  computedTooLong,
  type FromScript,
  type ScriptEnding,
  type ScriptStart,
  type SentCall,
  type SentResult,
} from './engine/messages.js';

export interface ScriptRun extends ScriptStart {
  /** The script of the thread, a path. */
  thread: string | URL;
  clock: Pick<Clock, 'sleep'>;
  /** Carries out calls that the script made before it waited for any of them; never rejects. */
  call(calls: readonly SentCall[], signal: AbortSignal): Promise<SentResult[]>;
  printed(text: string): void;
  signal: AbortSignal;
}

/** The memory of the thread beside that of the engine: it holds the texts on their way. */
const HEAP_MB = 128;
/** The engine stops itself where it can; some of its own functions do not look at the time. */
const GRACE_MS = 1_000;
const START_MS = 30_000;

/** Runs a script in a thread of its own, which is gone when this settles. Rejects when `signal` is aborted. */
export async function runScript(run: ScriptRun): Promise<ScriptEnding> {
  const { signal } = run;
  signal.throwIfAborted();
  const stopped = new AbortController();
  const calls = callsInOrder(run, AbortSignal.any([signal, stopped.signal]));
  const worker = startWorker(run);
  try {
    return await endOf(worker, { ...run, calls });
  } finally {
    // Pass a reason: the default builds an Error with a stack.
    stopped.abort('the script has ended');
    await worker.terminate();
    await calls.ended();
    signal.throwIfAborted();
  }
}

function startWorker({ thread, code, tools, limits }: ScriptRun): Worker {
  return new Worker(thread, {
    workerData: { code, tools, limits } satisfies ScriptStart,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

type CallsInOrder = ReturnType<typeof callsInOrder>;

/** So many calls are carried out before their results are counted: those of all others would be held at once. */
const CALLS_AT_ONCE = 16;

/** Calls that are made while others are carried out wait for them: only those of one batch are known not to conflict. */
function callsInOrder({ call, limits }: ScriptRun, signal: AbortSignal) {
  let last: Promise<unknown> = Promise.resolve();
  const room = roomForResults(limits);
  async function inPortions(sent: readonly SentCall[]): Promise<SentResult[]> {
    const results: SentResult[] = [];
    for (let at = 0; at < sent.length; at += CALLS_AT_ONCE) {
      const portion = sent.slice(at, at + CALLS_AT_ONCE);
      if (room.isFull()) results.push(...portion.map(room.notMade));
      else results.push(...(await call(portion, signal)).map(room.take));
    }
    return results;
  }
  return {
    carryOut(sent: readonly SentCall[]): Promise<SentResult[]> {
      const results = last.then(() => inPortions(sent));
      last = results.catch(() => undefined);
      return results;
    },
    ended: async (): Promise<void> => void (await last),
  };
}

/** Counts results as they come: the memory that they take is that of the program, which the engine's own limit does not know. */
function roomForResults({ receivedCharacters: most }: ScriptRun['limits']) {
  let left = most;
  const tooLarge = (id: number, what: string, next: string): SentResult => ({
    id,
    isOk: false,
    json: JSON.stringify({
      code: 'too_large',
      message: `The call was ${what}: the results of a script's calls hold ${formatNumber(most)} characters at most.${next}`,
    }),
  });
  return {
    isFull: () => left < 0,
    notMade: ({ id }: SentCall) => tooLarge(id, 'not made', ' Ask for less, or use several scripts.'),
    take(result: SentResult): SentResult {
      left -= left < 0 ? 0 : result.json.length;
      return left < 0 ? tooLarge(result.id, 'made, but its result is left out', '') : result;
    },
  };
}

function endOf(worker: Worker, run: ScriptRun & { calls: CallsInOrder }): Promise<ScriptEnding> {
  const { limits, clock, signal, calls } = run;
  return new Promise((resolve, reject) => {
    const timers = new AbortController();
    let busy = new AbortController();
    const end = (ending: ScriptEnding): void => {
      timers.abort('done');
      busy.abort('done');
      signal.removeEventListener('abort', cancel);
      resolve(ending);
    };
    const stop = (why: string): void => end({ kind: 'stopped', why });
    const cancel = (): void => stop('it was cancelled');
    const after = (ms: number, within: AbortSignal, why: string): void =>
      void clock.sleep(ms, within).then(
        () => stop(why),
        () => undefined,
      );
    const compute = (): void => {
      busy = new AbortController();
      after(limits.computeMs + GRACE_MS, busy.signal, computedTooLong(limits.computeMs));
    };
    signal.addEventListener('abort', cancel, { once: true });
    after(limits.totalMs, timers.signal, `it took longer than ${limits.totalMs / 1_000} s`);
    worker.on('error', (error) => stop(`its engine failed: ${error.message.slice(0, 200)}`));
    worker.on('exit', () => stop('its engine ended'));
    worker.on('message', (message: FromScript) => {
      if (message.type === 'printed') return run.printed(message.text);
      busy.abort('done');
      if (message.type === 'started') return compute();
      if (message.type === 'ended') return end(message.ending);
      if (message.type === 'waiting') return;
      calls.carryOut(message.calls).then((results) => {
        if (timers.signal.aborted) return;
        compute();
        worker.postMessage(results);
      }, reject);
    });
    after(START_MS, busy.signal, 'its engine did not start');
  });
}
