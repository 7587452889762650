import { readFileSync } from 'node:fs';

const LOOK_MS = 50;

/**
 * Calls back once a process has taken more memory of its own than it may; files that are mapped do not count. Where the
 * system can't tell, it never does. The function that is returned ends the watch.
 */
export function watchMemory(pid: number | undefined, maxBytes: number, onTooMuch: () => void): () => void {
  if (pid === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (ownMemory(pid) <= maxBytes) return;
    clearInterval(timer);
    onTooMuch();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function ownMemory(pid: number): number {
  try {
    const found = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(found ?? 0) * 1024;
  } catch {
    return 0;
  }
}
