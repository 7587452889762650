import { SHARE_ENV, Worker } from 'node:worker_threads';
import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { withinDeadline } from '@toolwright/machine/host/deadline.js';
import { killChildrenOf } from '@toolwright/machine/host/platform/linux-threads.js';
import type { ToolHost } from '../define-tool.js';
import { PlainData } from './crossing-values.js';
import { type HeldThread, hold, letGo } from './held-threads.js';
import type { ToolFileCode } from './load-tool-file.js';
import { RemoteCalls } from './remote-calls.js';
import type { MemberCall } from './serve-tools.js';
import { doorsOf, factsOf } from './thread-host.js';
import type { ToolFacts } from './tool-facts.js';

/** The script that threads of tool files run. */
export interface ThreadScript {
  path: string | URL;
  argv?: string[];
}

export interface RunningThreadOptions {
  file: ToolFileCode;
  host: ToolHost;
  script: ThreadScript;
  /** Called for errors the file throws outside any call, with one line that names their place. */
  onStray(message: string): void;
}

const HEAP_MB = 1024;
/** Between two looks at a thread that was told to end. */
const PAUSE_MS = 100;
/** A thread that is blocked in the kernel, though its child processes were killed, is not waited for any longer. */
const MOST_PAUSES = 10;

/** A thread of a tool file, from its start to its end. */
export class RunningThread implements HeldThread {
  readonly calls: RemoteCalls;
  /** Settles when the file has run. */
  readonly loaded: Promise<ToolFacts[]>;
  isLoaded = false;
  kernelThread: number | null = null;

  readonly #options: RunningThreadOptions;
  readonly #worker: Worker;
  #ended: Promise<void> | null = null;
  #openCalls = 0;
  #knownRoots: number;

  constructor(options: RunningThreadOptions) {
    const { file, host, script, onStray } = options;
    this.#options = options;
    this.#worker = startWorker(script);
    this.calls = new RemoteCalls(this.#worker, {
      ...doorsOf(host),
      stray: onStray,
      started: (kernelThread: number | null) => {
        this.kernelThread = kernelThread;
      },
    });
    this.#worker.on('error', (error) => this.end(`it failed (${messageOf(error)})`));
    this.#worker.on('exit', () => this.end('it ended by itself'));
    const facts = factsOf(host);
    this.#knownRoots = facts.roots.length;
    this.loaded = this.calls.call('load', new PlainData(file), new PlainData(facts)) as Promise<ToolFacts[]>;
    this.loaded.then(
      () => {
        this.isLoaded = true;
      },
      () => undefined,
    );
  }

  get isEnding(): boolean {
    return this.#ended !== null;
  }

  get isIdle(): boolean {
    return this.#openCalls === 0;
  }

  /** The program does not end while calls are open. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#openCalls += 1;
    this.#worker.ref();
    hold(this);
    try {
      return await work;
    } finally {
      this.#openCalls -= 1;
      if (this.isIdle && !this.isEnding) this.#rest();
    }
  }

  /** Roots of the workspace, when there are more than the thread knows of. */
  newRoots(): Pick<MemberCall, 'roots'> {
    const { host } = this.#options;
    if (host.workspace.roots.length === this.#knownRoots) return {};
    this.#knownRoots = host.workspace.roots.length;
    return { roots: factsOf(host).roots };
  }

  /** Calls that are still open fail. Settles when the thread has ended, or will not. */
  end(why: string): Promise<void> {
    const { path } = this.#options.file;
    this.calls.close(
      new ToolError('failed', `The thread of ${path} was ended: ${why}. The next call starts it again.`),
    );
    this.#ended ??= this.#terminate();
    return this.#ended;
  }

  #rest(): void {
    this.#worker.unref();
    letGo(this);
  }

  async #terminate(): Promise<void> {
    hold(this);
    const ended = this.#worker.terminate().then(() => this.#rest());
    for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
      const settled = ended.then(() => true);
      if (await withinDeadline(settled, { ms: PAUSE_MS, clock: this.#options.host.clock })) return;
      if (this.kernelThread !== null) killChildrenOf(this.kernelThread);
    }
    this.#worker.unref();
  }
}

function startWorker({ path, argv = [] }: ThreadScript): Worker {
  const worker = new Worker(path, {
    argv,
    env: SHARE_ENV,
    execArgv: [],
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // Standard output belongs to the program.
  worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  return worker;
}
