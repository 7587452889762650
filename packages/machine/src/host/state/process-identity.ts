import { hostname } from 'node:os';
import { isNodeError } from '../../base/errors.js';

/** Who holds a lock, so precisely that a later process with the same number is not taken for it. */
export interface ProcessIdentity {
  pid: number;
  host: string;
  start: string | null;
  boot: string | null;
  /** Containers may share a folder and a boot, but not their process numbers. */
  namespace: string | null;
}

interface Machine {
  boot: string | null;
  namespace: string | null;
  startOfProcess(pid: number): Promise<string | null>;
}

let machine: Promise<Machine> | undefined;
let ownStart: Promise<string | null> | undefined;

export async function ownIdentity(): Promise<ProcessIdentity> {
  const { boot, namespace, startOfProcess } = await (machine ??= lookAtMachine());
  const start = await (ownStart ??= startOfProcess(process.pid).catch(() => null));
  return { pid: process.pid, host: hostname(), start, boot, namespace };
}

/** `unknown` when it lives where we can't look: another machine, another container, before a restart. */
export async function lifeOf(owner: ProcessIdentity): Promise<'alive' | 'dead' | 'unknown'> {
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

async function lookAtMachine(): Promise<Machine> {
  if (process.platform === 'linux') {
    const linux = await import('../platform/linux-process.js');
    const [boot, namespace] = await Promise.all([linux.bootId(), linux.pidNamespace()]);
    return { boot, namespace, startOfProcess: linux.startOfProcess };
  }
  if (process.platform === 'darwin') {
    const darwin = await import('../platform/darwin-process.js');
    return { boot: await darwin.bootId(), namespace: null, startOfProcess: darwin.startOfProcess };
  }
  return { boot: null, namespace: null, startOfProcess: startUnknown };
}

/** Where start times can't be read, a number in use counts as the same process. */
async function startUnknown(pid: number): Promise<string | null> {
  return isInUse(pid) ? 'running' : null;
}

/** Whether some process here has this number, be it the one that is meant or a later one. */
export function isInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isNodeError(error, 'EPERM');
  }
}
