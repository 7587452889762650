import { readdirSync, readFileSync } from 'node:fs';
import { orNull } from '../../base/errors.js';

/** Limits of a process that only reads files. Where the system doesn't show what a process does, neither callback is called. */
export interface WatchOptions {
  /** Memory the process may take for itself; mapped files don't count. */
  maxMemoryBytes: number;
  onTooMuchMemory(): void;
  /** Called once a thread waits for someone to write: one of the files is a pipe or a terminal. */
  onWait(): void;
}

const MEMORY_CHECK_MS = 50;
const WAIT_CHECK_MS = 500;

/** Kernel functions a thread sleeps in until the other side of a pipe opens or writes, or somebody types. */
const waits = new Set(['wait_for_partner', 'fifo_open', 'pipe_read', 'anon_pipe_read', 'n_tty_read']);

/** Watches a process until the returned function is called. */
export function watchProcess(pid: number | undefined, options: WatchOptions): () => void {
  if (pid === undefined) return () => undefined;
  let waitedBefore: string[] = [];
  const timers = [
    setInterval(() => {
      if (ownMemory(pid) > options.maxMemoryBytes) options.onTooMuchMemory();
    }, MEMORY_CHECK_MS),
    setInterval(() => {
      const waiting = waitingThreads(pid);
      // Twice in a row: a pipe that somebody writes to is read at once.
      if (waiting.some((thread) => waitedBefore.includes(thread))) options.onWait();
      waitedBefore = waiting;
    }, WAIT_CHECK_MS),
  ];
  for (const timer of timers) timer.unref();
  return () => timers.forEach(clearInterval);
}

function ownMemory(pid: number): number {
  const status = orNull(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function waitingThreads(pid: number): string[] {
  const isWaiting = (thread: string): boolean =>
    waits.has(readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'utf8').trim());
  return orNull(() => readdirSync(`/proc/${pid}/task`).filter(isWaiting)) ?? [];
}
