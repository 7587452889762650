import { readFileSync, readlinkSync } from 'node:fs';
import { isNodeError, orNull } from '../../base/errors.js';

/** Changes with every boot of the machine. */
export async function bootId(): Promise<string | null> {
  return orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) || null;
}

/** Process ids are comparable only between processes that share this namespace. */
export async function pidNamespace(): Promise<string | null> {
  return orNull(() => readlinkSync('/proc/self/ns/pid'));
}

/**
 * The start time of a process in ticks since boot; with the pid, unique until the next boot. Null when it has ended.
 */
export async function startOfProcess(pid: number): Promise<string | null> {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ESRCH')) return null;
    throw error;
  }
  // The second field is the program's name, which may contain blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  const ended = state === 'Z' || state === 'X';
  return ended || start === undefined ? null : start;
}
