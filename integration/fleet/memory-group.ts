import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group whose processes have so much memory and no more. */
export interface MemoryGroup {
  /** The words that start a program in it. */
  prefix: string[];
  /** Times that the kernel killed somebody in it. */
  kills(): number;
  /** The most memory that was in use, in bytes. */
  most(): number;
  remove(): void;
}

/** A group of our own, of whichever version this machine has; or why there can be none. */
export function openMemoryGroup(bytes: number): MemoryGroup | string {
  const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const folder = join(
    isUnified ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory',
    `toolwright-test-${process.pid}`,
  );
  const [limit, events, peak] = isUnified
    ? ['memory.max', 'memory.events', 'memory.peak']
    : ['memory.limit_in_bytes', 'memory.oom_control', 'memory.max_usage_in_bytes'];
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, limit), String(bytes));
  } catch (error) {
    if (existsSync(folder)) rmdirSync(folder);
    return `no control group with a limit of memory can be made here (${error instanceof Error ? error.message : error})`;
  }
  return {
    prefix: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')}; exec "$@"`, 'sh'],
    kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1] ?? 0),
    most: () => Number(readFileSync(join(folder, peak!), 'utf8')),
    remove: () => rmdirSync(folder),
  };
}
