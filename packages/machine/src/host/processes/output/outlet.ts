import type { Log } from '../../host.js';
import type { CapturedOutput, OnBytes, OutputStream, RunOptions } from '../processes.js';
import { createCapture } from './capture.js';
import { createLiveTail } from './live-tail.js';
import { createRing } from './ring.js';
import { withoutOpenStart } from './utf8-cuts.js';

/** Takes the output of one run to memory and to whoever listens. */
export interface Outlet {
  /** A promise when the program should be made to wait. */
  take(bytes: Buffer, stream: OutputStream): Promise<void> | null;
  captured(): Promise<{ stdout: CapturedOutput; stderr: CapturedOutput }>;
  kept(): Buffer;
  watch(onBytes: OnBytes): () => void;
  totalBytes(): number;
  /** The last text, for the line a program waits at. */
  lastText(): string;
  close(): void;
}

const KEEP = { headBytes: 256 * 1024, tailBytes: 256 * 1024 };
const LAST_BYTES = 4_096;

export function createOutlet(options: RunOptions, log: Log): Outlet {
  const watchers = new Set<OnBytes>();
  const last = createRing(options.terminal ? LAST_BYTES : 0);

  const tell = createTeller(log);
  const opened = (stream: OutputStream) => ({
    capture: createCapture(options.keep ?? KEEP),
    live: options.onOutput
      ? createLiveTail((text) => tell(() => options.onOutput?.(text, stream)))
      : undefined,
  });
  const streams = { stdout: opened('stdout'), stderr: opened('stderr') };

  return {
    take(bytes, stream) {
      const { capture, live } = streams[stream];
      capture.add(bytes);
      live?.add(bytes);
      last.add(bytes);
      if (!options.onBytes && watchers.size === 0) return null;
      // The next read writes over these bytes, and those that listen may keep them.
      const own = Buffer.from(bytes);
      const listeners = [...(options.onBytes ? [options.onBytes] : []), ...watchers];
      const waits = listeners.flatMap((listener) => tell(() => listener(own, stream)) ?? []);
      return waits.length === 0 ? null : Promise.all(waits).then(() => undefined);
    },
    async captured() {
      const [stdout, stderr] = [streams.stdout.capture, streams.stderr.capture];
      return { stdout: await stdout.captured(), stderr: await stderr.captured() };
    },
    kept: () => Buffer.concat([streams.stdout.capture.kept(), streams.stderr.capture.kept()]),
    watch(onBytes) {
      watchers.add(onBytes);
      return () => void watchers.delete(onBytes);
    },
    totalBytes: () => streams.stdout.capture.totalBytes() + streams.stderr.capture.totalBytes(),
    lastText: () => withoutOpenStart(last.bytes()).toString(),
    close() {
      streams.stdout.live?.end();
      streams.stderr.live?.end();
      watchers.clear();
    },
  };
}

/** Calls a listener. One that fails is logged, and is no reason to end the command. */
function createTeller(log: Log): (listener: () => ReturnType<OnBytes>) => Promise<unknown> | null {
  const fail = (error: unknown): null => {
    log.error('a listener to the output of a command failed', error);
    return null;
  };
  return (listener) => {
    try {
      return listener()?.catch(fail) ?? null;
    } catch (error) {
      return fail(error);
    }
  };
}
