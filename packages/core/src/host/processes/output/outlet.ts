import { StringDecoder } from 'node:string_decoder';
import type { Log } from '../../host.js';
import type { OnBytes } from '../launch/spawned.js';
import type { CapturedOutput, OutputStream, RunOptions } from '../processes.js';
import { type CappedFile, openCappedFile } from './capped-file.js';
import { createCapture } from './capture.js';

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
const LAST_TEXT_CHARACTERS = 4_096;

export async function openOutlet(options: RunOptions, log: Log): Promise<Outlet> {
  const streams = { stdout: createOpening(options), stderr: createOpening(options) };
  const file: CappedFile | null = options.saveTo ? await openCappedFile(options.saveTo) : null;
  const watchers = new Set<OnBytes>();
  let lastText = '';

  const tell = (listener: () => void): void => {
    try {
      listener();
    } catch (error) {
      log.error('a listener to the output of a command failed', error);
    }
  };
  const tellText = (text: string, stream: OutputStream): void => {
    if (text === '') return;
    lastText = (lastText + text).slice(-LAST_TEXT_CHARACTERS);
    tell(() => options.onOutput?.(text, stream));
  };

  return {
    take(bytes, stream) {
      const { capture, decoder } = streams[stream];
      capture.add(bytes);
      tell(() => options.onBytes?.(bytes, stream));
      for (const watcher of watchers) tell(() => watcher(bytes, stream));
      if (options.onOutput || options.terminal) tellText(decoder.write(bytes), stream);
      return file?.add(bytes) ?? null;
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
    lastText: () => lastText,
    async close() {
      tellText(streams.stdout.decoder.end(), 'stdout');
      tellText(streams.stderr.decoder.end(), 'stderr');
      watchers.clear();
      if (!file || !options.saveTo) return null;
      return { path: options.saveTo.path, problem: await file.close() };
    },
  };
}

function createOpening(options: RunOptions) {
  return { capture: createCapture(options.keep ?? KEEP), decoder: new StringDecoder('utf8') };
}
