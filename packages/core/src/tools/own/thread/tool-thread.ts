import { ToolError } from '@toolwright/machine/base/errors.js';
import { unlessAborted, withinDeadline } from '@toolwright/machine/host/deadline.js';
import { leftBehind, type OnUpdate } from '../../tools.js';
import type { ToolHost } from '../define-tool.js';
import { PlainData } from './crossing-values.js';
import type { ToolFileCode } from './load-tool-file.js';
import type { RunningThread, ThreadScript } from './running-thread.js';
import type { MemberCall } from './serve-tools.js';
import type { ToolFacts } from './tool-facts.js';

export interface ThreadCall extends Pick<MemberCall, 'tool' | 'member'> {
  params: object;
  more?: unknown[];
  signal?: AbortSignal | undefined;
  onUpdate?: OnUpdate | undefined;
}

export interface ToolThreadOptions {
  /** Path of the tool file. */
  path: string;
  /** The file, compiled; asked for when the thread first starts. */
  file(): Promise<ToolFileCode>;
  host: ToolHost;
  script(): Promise<ThreadScript>;
  /** Called for errors the file throws outside any call, with one line that names their place. */
  onStray(message: string): void;
  /** Called with what the file's tools are, each time it was run. */
  onFacts(facts: ToolFacts[]): Promise<void>;
  limits?: ThreadLimits | undefined;
}

/** Times that a tool file is given. */
export interface ThreadLimits {
  loadMs: number;
  /** For members that only look at arguments. */
  lookMs: number;
  /** For a call that was told to stop. */
  graceMs: number;
}

/** Params that a thread knows by a number. */
interface SentParams {
  thread: RunningThread;
  key: number;
}

interface CallLimits {
  signal?: AbortSignal | undefined;
  limitMs?: number | undefined;
}

const LIMITS: ThreadLimits = { loadMs: 15_000, lookMs: 5_000, graceMs: 2_000 };

/** Members that take as long as they need: the scheduler limits them. */
const unlimited: readonly MemberCall['member'][] = ['execute', 'shouldConfirmExecute', 'modify'];

/** The thread of one tool file. It starts with the first call, and anew with the next one when it had to be ended. */
export class ToolThread {
  readonly #options: ToolThreadOptions;
  readonly #limits: ThreadLimits;
  readonly #keys = new WeakMap<object, SentParams>();
  readonly #unused = new FinalizationRegistry<SentParams>(({ thread, key }) => {
    if (this.#running === thread) void thread.calls.call('forget', key).catch(() => undefined);
  });
  #file: Promise<ToolFileCode> | null = null;
  #starting: Promise<RunningThread> | null = null;
  #running: RunningThread | null = null;
  /** Settles when threads that had to be ended are gone. */
  #ended: Promise<unknown> = Promise.resolve();
  #isRetired = false;
  #lastKey = 0;

  constructor(options: ToolThreadOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
  }

  /** Runs the file. */
  async load(signal?: AbortSignal): Promise<void> {
    await this.#options.onFacts(
      await this.#use((thread) => thread.loaded, { limitMs: this.#limits.loadMs, signal }),
    );
  }

  async call({ params, more = [], ...call }: ThreadCall): Promise<unknown> {
    const { member, signal } = call;
    if (!this.#current()?.isLoaded) await this.load(signal);
    const limitMs = unlimited.includes(member) ? undefined : this.#limits.lookMs;
    return this.#use(
      async (thread) => {
        const sent = { ...call, more, ...this.#named(thread, params), ...thread.newRoots() };
        const result = await thread.calls.call('call', sent);
        return member === 'modify' ? this.#modified(thread, result) : result;
      },
      { signal, limitMs },
    );
  }

  /** Kinds of resources that are in use in the thread. */
  async resources(): Promise<string[]> {
    const asked = this.#use(({ calls }) => calls.call('resources'), { limitMs: this.#limits.lookMs });
    return (await asked) as string[];
  }

  /** Ends the thread once no call is open. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#running?.isIdle) this.#end(this.#running, 'the file was replaced');
    await this.#ended;
  }

  #current(): RunningThread | null {
    return this.#running?.isEnding ? null : this.#running;
  }

  #startOnce(): Promise<RunningThread> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #start(): Promise<RunningThread> {
    const { host, onStray } = this.#options;
    const compiled = this.#compiledOnce();
    // The failure is thrown below; until then nobody would hear of it.
    compiled.catch(() => undefined);
    const { RunningThread } = await import('./running-thread.js');
    const [file, script] = [await compiled, await this.#options.script()];
    this.#running = new RunningThread({ file, host, script, onStray });
    return this.#running;
  }

  /** A failed compilation is tried again: the missing package may be installed by then. */
  async #compiledOnce(): Promise<ToolFileCode> {
    this.#file ??= this.#options.file();
    try {
      return await this.#file;
    } catch (error) {
      this.#file = null;
      throw error;
    }
  }

  #end(thread: RunningThread, why: string): void {
    if (this.#running === thread) this.#running = null;
    this.#ended = Promise.all([this.#ended, thread.end(why)]);
  }

  async #use<Result>(work: (thread: RunningThread) => Promise<Result>, limits: CallLimits): Promise<Result> {
    const thread = this.#current() ?? (await this.#startOnce());
    try {
      const ended = await thread.during(this.#within(limits, work(thread)));
      if (ended) return ended.result;
      this.#end(thread, 'another call of it did not stop when told to');
      throw limits.signal?.aborted ? leftBehind(limits.signal) : this.#tooSlow(limits.limitMs);
    } finally {
      if (this.#isRetired && thread.isIdle) this.#end(thread, 'the file was replaced');
    }
  }

  /** Null when the work neither ends by its limit nor stops when told to. */
  async #within<Result>(
    { signal, limitMs }: CallLimits,
    work: Promise<Result>,
  ): Promise<{ result: Result } | null> {
    const { clock } = this.#options.host;
    const settled = work.then((result) => ({ result }));
    const limited = limitMs === undefined ? settled : withinDeadline(settled, { ms: limitMs, clock });
    if (!signal) return limited;
    return unlessAborted(limited, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return withinDeadline(settled, { ms: this.#limits.graceMs, clock });
    });
  }

  #tooSlow(limitMs = 0): ToolError {
    return new ToolError(
      'timeout',
      `${this.#options.path} did not answer within ${limitMs / 1000} s, so its thread was ended. The next call starts it again.`,
    );
  }

  /** Params of a call that another thread planned are refused: what was agreed to went with that thread. */
  #named(thread: RunningThread, params: object): Pick<MemberCall, 'key' | 'params'> {
    const known = this.#keys.get(params);
    if (known && known.thread !== thread)
      throw new ToolError(
        'failed',
        `The thread of ${this.#options.path} was ended while this call was on its way, so it was not run. Call it again.`,
      );
    if (known) return { key: known.key };
    const key = ++this.#lastKey;
    if (typeof params === 'object' && params !== null) this.#remember(params, { thread, key });
    return { key, params: new PlainData(params) };
  }

  #modified(thread: RunningThread, result: unknown): object {
    const { key, params } = result as { key: number; params: object };
    this.#remember(params, { thread, key });
    return params;
  }

  #remember(params: object, sent: SentParams): void {
    this.#keys.set(params, sent);
    this.#unused.register(params, sent);
  }
}
