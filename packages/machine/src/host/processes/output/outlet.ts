import type { Log } from '../../host.js';
import type { OnBytes } from '../launch/spawned.js';
import type { CapturedOutput, OutputStream, RunOptions } from '../processes.js';
import { type CappedFile, openCappedFile } from './capped-file.js';
import { createCapture } from './capture.js';
import { createLiveTail } from './live-tail.js';
import { createRing } from './ring.js';
import { withoutOpenStart } from './utf8-cuts.js';

/** Where the output of one run goes: memory, file, and whoever listens. */
export interface Outlet {
  /** A promise when the program should be made to wait. */
  take(bytes: Buffer, stream: OutputStream): Promise<void> | null;
  captured(): Promise<{ stdout: CapturedOutput; stderr: CapturedOutput }>;
  kept(): Buffer;
  watch(onBytes: OnBytes): () => void;
  totalBytes(): number;
  /** The last text, for the line a program waits at. */
  lastText(): string;
  close(): Promise<{ path: string; problem: string | null } | null>;
}

const KEEP = { headBytes: 256 * 1024, tailBytes: 256 * 1024 };
const LAST_BYTES = 4_096;

export async function openOutlet(options: RunOptions, log: Log): Promise<Outlet> {
  const file: CappedFile | null = options.saveTo ? await openCappedFile(options.saveTo) : null;
  const watchers = new Set<OnBytes>();
  const last = createRing(options.terminal ? LAST_BYTES : 0);

  const tell = (listener: () => void): void => {
    try {
      listener();
    } catch (error) {
      log.error('a listener to the output of a command failed', error);
    }
  };

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
      if (!options.onBytes && watchers.size === 0 && !file) return null;
      // The next read writes over these bytes, and those that listen may keep them.
      const own = Buffer.from(bytes);
      tell(() => options.onBytes?.(own, stream));
      for (const watcher of watchers) tell(() => watcher(own, stream));
      return file?.add(own) ?? null;
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
    async close() {
      streams.stdout.live?.end();
      streams.stderr.live?.end();
      watchers.clear();
      if (!file || !options.saveTo) return null;
      return { path: options.saveTo.path, problem: await file.close() };
    },
  };
}
