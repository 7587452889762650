import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { orNull } from '../../base/errors.js';

/** The kernel's number of the thread that asks; null where the system does not tell. */
export function kernelThread(): number | null {
  return orNull(() => Number(basename(readlinkSync('/proc/thread-self'))));
}

/** Kills the processes that a thread of this program started, with all that they started. */
export function killChildrenOf(thread: number): void {
  for (const pid of descendants(process.pid, [thread])) orNull(() => process.kill(pid, 'SIGKILL'));
}

function descendants(pid: number, threads: readonly (number | string)[]): number[] {
  const children = threads.flatMap((thread) => {
    const text = orNull(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '';
    return text.split(' ').filter(Boolean).map(Number);
  });
  return children.flatMap((child) => [
    child,
    ...descendants(child, orNull(() => readdirSync(`/proc/${child}/task`)) ?? []),
  ]);
}
