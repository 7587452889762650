import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isNodeError, orNull } from '../../base/errors.js';
import { isJsonObject, jsonIn } from '../../base/json.js';

/**
 * The process that owns something on disk, written beside what it owns, so precisely that a later process with the same
 * number is not taken for it.
 */
export interface Lease {
  pid: number;
  host: string;
  start: string | null;
  boot: string | null;
  /** Containers may share a folder and a boot, but not their process numbers. */
  namespace: string | null;
}

/** `unknown`: the owner is on another machine, in another container, or from before a restart, where nobody can ask. */
export type Life = 'alive' | 'dead' | 'unknown';

interface MachineIdentity {
  boot: string | null;
  namespace: string | null;
  startOfProcess(pid: number): Promise<string | null>;
}

let machine: Promise<MachineIdentity> | undefined;
let ownStart: Promise<string | null> | undefined;

/** The lease of this process. */
export async function ownLease(): Promise<Lease> {
  const { boot, namespace, startOfProcess } = await (machine ??= lookAtMachine());
  const start = await (ownStart ??= startOfProcess(process.pid).catch(() => null));
  return { pid: process.pid, host: hostname(), start, boot, namespace };
}

/** A lease out of JSON text or a parsed value, whatever else stands there; null when there is none. */
export function readLease(written: unknown): Lease | null {
  const value = typeof written === 'string' ? jsonIn(written) : written;
  return isJsonObject(value) && Number.isInteger(value['pid']) ? (value as unknown as Lease) : null;
}

/** Tells whether the process of a lease lives; "unknown" for one of another machine or namespace. */
export async function lifeOf(owner: Lease): Promise<Life> {
  const { boot, namespace, startOfProcess } = await (machine ??= lookAtMachine());
  const sameMachine = boot === null ? owner.host === hostname() : owner.boot === boot;
  if (!sameMachine || owner.namespace !== namespace) return 'unknown';
  try {
    const start = await startOfProcess(owner.pid);
    if (start === null) return 'dead';
    return owner.start === null || owner.start === start ? 'alive' : 'dead';
  } catch {
    return 'unknown';
  }
}

/** The short form of a lease, for names: it can't tell a process from a later one with its number. */
export interface NamedLease {
  pid: number;
  /** Digits of the process namespace; 0 where there are none. */
  namespace: string;
}

export function ownNamedLease(): NamedLease {
  return { pid: process.pid, namespace: namespaceDigits() };
}

/** Tells the life of a lease known by name. It is never `alive`: the number may be somebody else's by now. */
export function lifeOfNamed({ pid, namespace }: NamedLease): Life {
  return namespace !== namespaceDigits() || isInUse(pid) ? 'unknown' : 'dead';
}

const TRUSTED_SILENCE_MS = 24 * 60 * 60 * 1000;

/** True when the owner is gone. An owner of unknown life is trusted until it was silent for so long; default: a day. */
export function isAbandoned(life: Life, silentMs: number, trustedMs = TRUSTED_SILENCE_MS): boolean {
  return life === 'unknown' ? silentMs >= trustedMs : life === 'dead';
}

/** True when the owner is from before the last restart of the machine, which nothing outlives. */
export async function isFromBeforeRestart(owner: Lease): Promise<boolean> {
  const { boot } = await ownLease();
  return owner.host === hostname() && boot !== null && owner.boot !== null && owner.boot !== boot;
}

async function lookAtMachine(): Promise<MachineIdentity> {
  if (process.platform === 'linux') {
    const [boot, namespace] = await Promise.all([bootId(), pidNamespace()]);
    return { boot, namespace, startOfProcess: startOnLinux };
  }
  if (process.platform === 'darwin') {
    const darwin = await import('../platform/darwin-process.js');
    return { boot: await darwin.bootId(), namespace: null, startOfProcess: darwin.startOfProcess };
  }
  return { boot: null, namespace: null, startOfProcess: startUnknown };
}

/** A number in use counts as the same process where start times can't be read. */
async function startUnknown(pid: number): Promise<string | null> {
  return isInUse(pid) ? 'running' : null;
}

function isInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isNodeError(error, 'EPERM');
  }
}

function namespaceDigits(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** Changes with every boot of the machine. Linux only, as the two that follow. */
export async function bootId(): Promise<string | null> {
  return orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) || null;
}

/** Process ids are comparable only between processes that share this namespace. */
async function pidNamespace(): Promise<string | null> {
  return orNull(() => readlinkSync('/proc/self/ns/pid'));
}

/**
 * The start time of a process in ticks since boot; with the pid, unique until the next boot. Null when it has ended.
 */
async function startOnLinux(pid: number): Promise<string | null> {
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
