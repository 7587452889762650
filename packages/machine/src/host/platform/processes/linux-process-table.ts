import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';
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

/**
 * Memory that counts for no process: files in memory-backed file systems that only these processes see, such as
 * `/dev/shm` of a sandbox, and open memory files without a name.
 */
function heldInFiles(pids: readonly number[]): number {
  return heldInMounts(pids) + heldWithoutName(pids);
}

const MOUNT = /^\d+ \d+ (\d+):(\d+) \S+ (\S+) .* - tmpfs /gm;

function heldInMounts(pids: readonly number[]): number {
  const own = orNull(() => readlinkSync('/proc/self/ns/mnt'));
  const places = new Map<string, number>();
  for (const pid of pids) {
    const place = orNull(() => readlinkSync(`/proc/${pid}/ns/mnt`));
    if (place !== null && place !== own) places.set(place, pid);
  }
  if (places.size === 0) return 0;
  const seen = new Set(mountsOf('self').map(({ device }) => device));
  let bytes = 0;
  for (const pid of places.values())
    for (const { device, path } of mountsOf(String(pid))) {
      const at = `/proc/${pid}/root${path}`;
      // Another mount may cover it.
      if (seen.has(device) || orNull(() => statSync(at).dev) !== device) continue;
      seen.add(device);
      bytes += orNull(() => usedOf(at)) ?? 0;
    }
  return bytes;
}

function mountsOf(pid: string): { device: number; path: string }[] {
  const text = orNull(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8')) ?? '';
  return [...text.matchAll(MOUNT)].map(([, major, minor, path = '']) => ({
    device: deviceOf(Number(major), Number(minor)),
    path: path.replace(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  }));
}

/** The device number that `stat` gives for a major and a minor number. */
function deviceOf(major: number, minor: number): number {
  return (minor & 0xff) + major * 0x100 + (minor - (minor & 0xff)) * 0x1000;
}

function usedOf(path: string): number {
  const { blocks, bfree, bsize } = statfsSync(path);
  return (blocks - bfree) * bsize;
}

function heldWithoutName(pids: readonly number[]): number {
  const sizes = new Map<number, number>();
  for (const pid of pids)
    for (const name of orNull(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
      const path = `/proc/${pid}/fd/${name}`;
      if (!orNull(() => readlinkSync(path))?.startsWith('/memfd:')) continue;
      const found = orNull(() => statSync(path));
      if (found) sizes.set(found.ino, found.blocks * 512);
    }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

const LISTENING = '0A';

/** The listening sockets in the text of `/proc/PID/net/tcp` or `tcp6`. */
export function listeningSockets(table: string): { inode: string; port: number }[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state !== LISTENING || local === undefined || inode === undefined) return [];
      return [{ inode, port: Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16) }];
    });
}
