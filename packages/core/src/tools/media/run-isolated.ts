import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf, ToolError } from '../../base/errors.js';

/** What a thread may load; by type, so that a package that is not installed does not compile. */
interface Libraries {
  unpdf: typeof import('unpdf');
  '@silvia-odwyer/photon-node': typeof import('@silvia-odwyer/photon-node');
}

export interface IsolatedTask {
  /** What is being done, for messages: "Decoding the image". */
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
}

const DEFAULT_HEAP_MB = 512;
const resolver = createRequire(import.meta.url);

/**
 * Runs a decoder of untrusted bytes in a thread of its own: a hostile file may loop, eat memory or crash
 * there, and cancelling ends it at once. What it allocated is gone with the thread.
 */
export async function runIsolated<Result>(task: IsolatedTask): Promise<Result> {
  task.signal.throwIfAborted();
  const worker = new Worker(task.source, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: task.heapMb ?? DEFAULT_HEAP_MB },
    workerData: { ...task.data, library: pathToFileURL(resolver.resolve(task.library)).href },
  });
  let stop: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      stop = () => reject(task.signal.reason);
      task.signal.addEventListener('abort', stop, { once: true });
      timer = setTimeout(() => reject(tooSlow(task)), task.limitMs);
      worker.once('message', (message: Result) => resolve(message));
      worker.once('error', (error: unknown) => reject(broken(task, error)));
      worker.once('exit', () => reject(broken(task, 'the decoder ended without an answer')));
    });
  } finally {
    clearTimeout(timer);
    if (stop) task.signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
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
