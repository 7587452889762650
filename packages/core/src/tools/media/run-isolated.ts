import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { packageProblem } from '@toolwright/machine/base/optional-package.js';

/** Modules that a thread may load; typed, so that a package that is not installed does not compile. */
interface Libraries {
  unpdf: typeof import('unpdf');
  '@silvia-odwyer/photon-node': typeof import('@silvia-odwyer/photon-node');
}

export interface IsolatedTask {
  /** The work in words, for messages: "Decoding the image". */
  what: string;
  /** CommonJS text that posts one message: its result. Text, because a worker can't load our TypeScript. */
  source: string;
  /** A package the source imports from `workerData.library`. */
  library: keyof Libraries;
  data: Record<string, unknown>;
  signal: AbortSignal;
  limitMs: number;
  /** Memory for JavaScript objects. */
  heapMb?: number;
  /** The memory in all, buffers of bytes included, which the limit for objects does not count. */
  memoryMb?: number | undefined;
}

const DEFAULT_HEAP_MB = 512;
const DEFAULT_MEMORY_MB = 768;
const LOOK_MS = 20;
/** Decoders take turns: the memory that the program gains meanwhile is then that of the one at work. */
let turn: Promise<void> = Promise.resolve();
const resolver = createRequire(import.meta.url);

/**
 * Runs a decoder of untrusted bytes in a thread of its own: a hostile file may loop, eat memory or crash
 * there, and cancelling ends it at once. What it allocated is gone with the thread.
 */
export async function runIsolated<Result>(task: IsolatedTask): Promise<Result> {
  const mine = orAborted(turn, task.signal).then(() => runNow<Result>(task));
  // Results are dropped: the chain of those that waited must not hold every picture and page there was.
  turn = Promise.allSettled([turn, mine]).then(() => undefined);
  return mine;
}

function orAborted(earlier: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void earlier.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}

async function runNow<Result>(task: IsolatedTask): Promise<Result> {
  task.signal.throwIfAborted();
  const library = addressOf(task.library);
  const worker = new Worker(task.source, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: task.heapMb ?? DEFAULT_HEAP_MB },
    workerData: { ...task.data, library },
  });
  let stop: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let endWatch: (() => void) | undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      stop = () => reject(task.signal.reason);
      task.signal.addEventListener('abort', stop, { once: true });
      timer = setTimeout(() => reject(tooSlow(task)), task.limitMs);
      endWatch = watchMemory(task.memoryMb ?? DEFAULT_MEMORY_MB, (limitMb) => reject(tooMuch(task, limitMb)));
      worker.once('message', (message: Result) => resolve(message));
      worker.once('error', (error: unknown) => reject(broken(task, error)));
      worker.once('exit', () => reject(broken(task, 'the decoder ended without an answer')));
    });
  } finally {
    clearTimeout(timer);
    endWatch?.();
    if (stop) task.signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function addressOf(library: keyof Libraries): string {
  try {
    return pathToFileURL(resolver.resolve(library)).href;
  } catch (error) {
    throw packageProblem(library, error);
  }
}

/** Calls back once the program has gained more than this. */
function watchMemory(limitMb: number, onTooMuch: (limitMb: number) => void): () => void {
  const most = process.memoryUsage.rss() + limitMb * 1024 * 1024;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() > most) onTooMuch(limitMb);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function tooMuch(task: IsolatedTask, limitMb: number): ToolError {
  return new ToolError(
    'too_large',
    `${task.what} took more than ${limitMb} MB of memory and was stopped: the file unpacks to far more than it holds. Try a smaller file or part.`,
  );
}

function tooSlow(task: IsolatedTask): ToolError {
  const seconds = Math.round(task.limitMs / 1000);
  return new ToolError(
    'timeout',
    `${task.what} took longer than ${seconds} s and was stopped. Try a smaller file or part.`,
  );
}

function broken(task: IsolatedTask, error: unknown): ToolError {
  return new ToolError('failed', `${task.what} failed: ${messageOf(error)}.`);
}
