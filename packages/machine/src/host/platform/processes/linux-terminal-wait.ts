import { readFileSync, statSync } from 'node:fs';
import { isNodeError } from '../../../base/errors.js';
import { runOwnProgram } from '../../processes/launch/child-process.js';
import type { TerminalWait, TerminalWaits } from './process-table.js';

/** System call numbers by processor: calls that read from a descriptor, and calls that wait for any of several. */
const calls: Partial<Record<string, { reads: number[]; polls: number[] }>> = {
  x64: { reads: [0, 19], polls: [7, 23, 232, 270, 271, 281, 441] },
  arm64: { reads: [63, 65], polls: [20, 22, 72, 73, 441] },
};
/** The number of `/dev/tty`, which stands for the terminal of each process. */
const OWN_TERMINAL_DEVICE = 0x500;
/** Kernel functions that sleep in a terminal read, for when the system call itself is unknown. */
const TERMINAL_SLEEPS = new Set(['n_tty_read', 'wait_woken']);

export const linuxTerminalWaits: TerminalWaits = {
  waitOf(pid, terminal) {
    try {
      return isInForeground(pid) ? waitAt(pid, statSync(terminal).rdev) : null;
    } catch {
      return null;
    }
  },
  async modeOf(terminal) {
    const { failure, stdout } = await runOwnProgram('stty', ['-F', terminal, '-a'], { deadlineMs: 1_000 });
    return failure ? null : parseMode(stdout);
  },
};

export function parseMode(text: string): { echo: boolean; lines: boolean } | null {
  const words = new Set(text.split(/[\s;]+/));
  if (!words.has('echo') && !words.has('-echo')) return null;
  return { echo: words.has('echo'), lines: words.has('icanon') };
}

function isInForeground(pid: number): boolean {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, , group, , , foreground] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state !== 'Z' && group === foreground;
}

function waitAt(pid: number, device: number): TerminalWait {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/syscall`, 'utf8');
  } catch (error) {
    return isNodeError(error, 'EPERM', 'EACCES') ? 'hidden' : fromSleep(pid, device);
  }
  const [call, first = ''] = line.trim().split(' ');
  const known = calls[process.arch];
  if (known === undefined || call === undefined) return fromSleep(pid, device);
  const number = Number(call);
  if (known.reads.includes(number)) return isTerminal(pid, Number(first), device) ? 'reads' : 'busy';
  return known.polls.includes(number) && isTerminal(pid, 0, device) ? 'polls' : 'busy';
}

function fromSleep(pid: number, device: number): TerminalWait {
  const place = readFileSync(`/proc/${pid}/wchan`, 'utf8').trim();
  return TERMINAL_SLEEPS.has(place) && isTerminal(pid, 0, device) ? 'reads' : 'busy';
}

function isTerminal(pid: number, descriptor: number, device: number): boolean {
  try {
    const { rdev } = statSync(`/proc/${pid}/fd/${descriptor}`);
    return rdev === device || rdev === OWN_TERMINAL_DEVICE;
  } catch {
    return false;
  }
}
