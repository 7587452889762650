import { readdirSync, readFileSync } from 'node:fs';

const LOOK_MS = 500;

/** What the kernel calls a sleep until a pipe is opened or written to from its other side, or somebody types. */
const waits = new Set(['wait_for_partner', 'fifo_open', 'pipe_read', 'anon_pipe_read', 'n_tty_read']);

/**
 * Calls back once a thread of a process waits for others to write. A program that reads files alone does so only where
 * one of them is a pipe or a terminal. Where the system can't tell, it never does. The function that is returned ends
 * the watch.
 */
export function watchForWait(pid: number | undefined, onWait: () => void): () => void {
  if (pid === undefined) return () => undefined;
  let before = new Set<string>();
  const timer = setInterval(() => {
    const waiting = waitingThreads(pid);
    // Twice in a row: a pipe that somebody writes to is read on in no time.
    if (waiting.some((thread) => before.has(thread))) {
      clearInterval(timer);
      onWait();
    }
    before = new Set(waiting);
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function waitingThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).filter((thread) =>
      waits.has(readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'latin1').trim()),
    );
  } catch {
    return [];
  }
}
