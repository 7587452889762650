import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';
import { heldInFiles } from './linux-held-memory.js';
import { listeningSockets } from './linux-listening-sockets.js';
import { MARK_DIGITS, type Mark, type ProcessRow, type ProcessTable } from './process-table.js';

const COMMAND_CHARACTERS = 200;

/** Null where `/proc` is not mounted. Reads synchronously: `/proc` never waits for a disk. */
export function linuxProcessTable(): ProcessTable | null {
  if (statRow(process.pid) === null) return null;
  return { rows, rowOf: async (pid) => statRow(pid), carries, commandOf, portsOf, memoryOf };
}

async function rows(after?: number): Promise<ProcessRow[]> {
  const least = after !== undefined && !haveNumbersWrapped(after) ? after : 0;
  const found: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid >= least)) continue;
    const row = statRow(pid);
    if (row) found.push(row);
  }
  return found;
}

/** Pids are given in rising order; once they start over, a younger process may have a lower one. */
function haveNumbersWrapped(since: number): boolean {
  const last = Number(readOrNull('/proc/loadavg')?.trim().split(' ').at(-1));
  return !(last >= since);
}

/** Tasks of a user; threads count like processes where the system limits them. */
export function tasksOfUser(user: number): number {
  let tasks = 0;
  for (const name of readdirSync('/proc')) {
    const status = /^\d+$/.test(name) ? readOrNull(`/proc/${name}/status`) : null;
    if (status === null || Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) !== user) continue;
    tasks += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 1);
  }
  return tasks;
}

function statRow(pid: number): ProcessRow | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name, which may contain blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: fields[19] ?? '',
    isGone: fields[0] === 'Z' || fields[0] === 'X',
  };
}

function carries(pid: number, { text, digits }: Mark): boolean {
  const limits = readOrNull(`/proc/${pid}/limits`) ?? '';
  const found = /^Max file locks +(\d+) /m.exec(limits)?.[1];
  if (found?.length === MARK_DIGITS && found.startsWith(digits)) return true;
  return readOrNull(`/proc/${pid}/environ`)?.includes(text) ?? false;
}

async function commandOf(pid: number): Promise<string> {
  const words = readOrNull(`/proc/${pid}/cmdline`)?.split('\0').join(' ').trim();
  const command = words || (readOrNull(`/proc/${pid}/comm`)?.trim() ?? '');
  return command.length > COMMAND_CHARACTERS ? `${command.slice(0, COMMAND_CHARACTERS)}…` : command;
}

const filesOf = {
  /** Memory of programs and libraries is shared by all and can be read again from files, so it is left out. */
  roughly: { file: 'status', own: /^RssAnon:\s*(\d+) kB$/m, shared: /^RssShmem:\s*(\d+) kB$/m },
  exactly: { file: 'smaps_rollup', own: /^Pss_Anon:\s*(\d+) kB$/m, shared: /^Pss_Shmem:\s*(\d+) kB$/m },
};

function memoryOf(pids: readonly number[], { exactly } = { exactly: false }): number {
  let [own, shared] = [0, 0];
  for (const pid of pids) {
    const closely = exactly ? readOrNull(`/proc/${pid}/${filesOf.exactly.file}`) : null;
    // The kernel does not show us the exact size of this process, so the rough one counts.
    const names = closely === null ? filesOf.roughly : filesOf.exactly;
    const text = closely ?? readOrNull(`/proc/${pid}/${names.file}`) ?? '';
    own += Number(names.own.exec(text)?.[1] ?? 0) * 1024;
    shared += Number(names.shared.exec(text)?.[1] ?? 0) * 1024;
  }
  // Files in memory take room whether a process maps them or not; mapped ones are part of the shared memory.
  return own + Math.max(shared, heldInFiles(pids));
}

function portsOf(pids: readonly number[]): number[] | null {
  const ports = new Set<number>();
  for (const pid of pids) {
    const sockets = socketsOf(pid);
    if (sockets.size === 0) continue;
    // Read for the process itself, which may have a network of its own.
    for (const table of ['tcp', 'tcp6']) {
      for (const { inode, port } of listeningSockets(readOrNull(`/proc/${pid}/net/${table}`) ?? '')) {
        if (sockets.has(inode)) ports.add(port);
      }
    }
  }
  return [...ports].sort((first, second) => first - second);
}

function socketsOf(pid: number): Set<string> {
  const descriptors = orNull(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  const inodes = descriptors.flatMap((name) => {
    const target = orNull(() => readlinkSync(`/proc/${pid}/fd/${name}`)) ?? '';
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });
  return new Set(inodes);
}

/** Null when the process has ended or belongs to someone else. As UTF-8, which Node reads four times as fast as other encodings. */
function readOrNull(path: string): string | null {
  return orNull(() => readFileSync(path, 'utf8'));
}
