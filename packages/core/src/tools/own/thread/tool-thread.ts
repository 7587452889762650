import { SHARE_ENV, Worker } from 'node:worker_threads';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { unlessAborted, withinDeadline } from '@toolwright/machine/host/deadline.js';
import { leftBehind, type OnUpdate } from '../../tools.js';
import type { ToolHost } from '../define-tool.js';
import type { ToolFileCode } from './load-tool-file.js';
import { connectThreads, PlainData, type RemoteCalls } from './remote-calls.js';
import type { MemberCall } from './serve-tools.js';
import { doorsOf, factsOf } from './thread-host.js';
import type { ToolFacts } from './tool-facts.js';

/** The script that threads of tool files run. */
export interface ThreadScript {
  path: string | URL;
  argv?: string[];
}

export interface ToolThreadOptions {
  file: ToolFileCode;
  host: ToolHost;
  script: ThreadScript;
  /** Called for errors the file throws outside any call, with one line that names their place. */
  onStray(message: string): void;
}

export interface ThreadCall extends Pick<MemberCall, 'tool' | 'member'> {
  params: object;
  more?: unknown[];
  /** Without it the call has a short limit of its own. */
  signal?: AbortSignal;
  onUpdate?: OnUpdate | undefined;
}

/** The thread of one tool file. It starts with the first call, and anew with the next one when it had to be ended. */
export interface ToolThread {
  /** Runs the file, and tells what its tools are. */
  load(): Promise<ToolFacts[]>;
  call(call: ThreadCall): Promise<unknown>;
  /** Kinds of resources that are in use in the thread. */
  resources(): Promise<string[]>;
  /** Ends the thread once no call is open. */
  retire(): Promise<void>;
}

interface RunningThread {
  worker: Worker;
  calls: RemoteCalls;
  loaded: Promise<ToolFacts[]>;
  isLoaded: boolean;
  openCalls: number;
  roots: number;
}

/** Params that a thread knows by a number. */
interface SentParams {
  thread: RunningThread;
  key: number;
}

const LOAD_LIMIT_MS = 15_000;
/** For members that only look at arguments. */
const LOOK_LIMIT_MS = 5_000;
/** A call that was told to stop is given this long. */
const GRACE_MS = 2_000;
const HEAP_MB = 1024;

export function createToolThread({ file, host, script, onStray }: ToolThreadOptions): ToolThread {
  const { clock } = host;
  const keys = new WeakMap<object, SentParams>();
  const forgotten = new FinalizationRegistry<SentParams>(({ thread, key }) => {
    if (running === thread) void thread.calls.call('forget', key).catch(() => undefined);
  });
  let running: RunningThread | null = null;
  let isRetired = false;
  let lastKey = 0;

  function start(): RunningThread {
    if (running) return running;
    const worker = new Worker(script.path, {
      argv: script.argv ?? [],
      env: SHARE_ENV,
      execArgv: [],
      stdout: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    // Standard output belongs to the program.
    worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    const calls = connectThreads(worker, { ...doorsOf(host), stray: onStray });
    const facts = factsOf(host);
    const loaded = calls.call('load', new PlainData(file), new PlainData(facts)) as Promise<ToolFacts[]>;
    const thread = { worker, calls, loaded, isLoaded: false, openCalls: 0, roots: facts.roots.length };
    worker.on('error', (error) => end(thread, `it failed (${messageOf(error)})`));
    worker.on('exit', () => end(thread, 'it ended by itself'));
    running = thread;
    return thread;
  }

  /** Calls that are still open fail. */
  async function end(thread: RunningThread, why: string): Promise<void> {
    if (running === thread) running = null;
    thread.calls.close(
      new ToolError('failed', `The thread of ${file.path} was ended: ${why}. The next call starts it anew.`),
    );
    await thread.worker.terminate();
  }

  async function use<Result>(
    work: (thread: RunningThread) => Promise<Result>,
    { signal, limitMs = LOOK_LIMIT_MS }: { signal?: AbortSignal | undefined; limitMs?: number },
  ): Promise<Result> {
    const thread = start();
    thread.openCalls += 1;
    thread.worker.ref();
    try {
      const settled = work(thread).then((result) => ({ result }));
      const ended = signal
        ? await unlessAborted(settled, signal).catch((error: unknown) => {
            if (!signal.aborted) throw error;
            return withinDeadline(settled, { ms: GRACE_MS, clock });
          })
        : await withinDeadline(settled, { ms: limitMs, clock });
      if (ended) return ended.result;
      void end(thread, 'another call of it did not stop when told to');
      throw signal ? leftBehind(signal) : tooSlow(limitMs);
    } finally {
      thread.openCalls -= 1;
      if (thread.openCalls === 0) thread.worker.unref();
      if (thread.openCalls === 0 && isRetired) void end(thread, 'the file was replaced');
    }
  }

  function tooSlow(limitMs: number): ToolError {
    return new ToolError(
      'timeout',
      `${file.path} did not answer within ${limitMs / 1000} s, so its thread was ended. The next call starts it anew.`,
    );
  }

  async function load(thread: RunningThread): Promise<ToolFacts[]> {
    const facts = await thread.loaded;
    thread.isLoaded = true;
    return facts;
  }

  /** Params of a call that another thread planned are refused: what was agreed to went with that thread. */
  function named(thread: RunningThread, params: object): Pick<MemberCall, 'key' | 'params'> {
    const known = keys.get(params);
    if (known && known.thread !== thread)
      throw new ToolError(
        'failed',
        `The thread of ${file.path} was ended while this call was on its way, so it was not run. Call it again.`,
      );
    if (known) return { key: known.key };
    const key = ++lastKey;
    if (typeof params === 'object' && params !== null) remember(params, { thread, key });
    return { key, params: new PlainData(params) };
  }

  function remember(params: object, sent: SentParams): void {
    keys.set(params, sent);
    forgotten.register(params, sent);
  }

  function newRoots(thread: RunningThread): Pick<MemberCall, 'roots'> {
    if (host.workspace.roots.length === thread.roots) return {};
    thread.roots = host.workspace.roots.length;
    return { roots: factsOf(host).roots };
  }

  return {
    load: () => use(load, { limitMs: LOAD_LIMIT_MS }),
    async call({ params, more = [], ...call }) {
      if (!start().isLoaded) await use(load, { limitMs: LOAD_LIMIT_MS, signal: call.signal });
      return use(
        async (thread) => {
          const sent = { ...call, more, ...named(thread, params), ...newRoots(thread) };
          const result = await thread.calls.call('call', sent);
          if (call.member !== 'modify') return result;
          const modified = result as { key: number; params: object };
          remember(modified.params, { thread, key: modified.key });
          return modified.params;
        },
        { signal: call.signal },
      );
    },
    resources: () => use(async ({ calls }) => (await calls.call('resources')) as string[], {}),
    async retire() {
      isRetired = true;
      if (running && running.openCalls === 0) await end(running, 'the file was replaced');
    },
  };
}
