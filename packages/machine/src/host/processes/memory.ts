import { totalmem } from 'node:os';
import { formatBytes } from '../../base/amounts.js';
import { livingOf, type Tree } from './tree.js';

/** Memory limit of all processes of one command, and its spelling in the settings. */
export interface MemoryLimit {
  bytes: number;
  written: string;
}

const DEFAULT_MEMORY = '50%';
/** The least memory: a shell and the programs it starts need this much. */
const LEAST_BYTES = 16 * 1024 * 1024;
const units = { k: 1, m: 2, g: 3, t: 4 } as const;

/** `4g`, `512m` or `50%` of the machine, or of what the container may use; null for `none`. */
export function memoryLimitOf(written = DEFAULT_MEMORY): MemoryLimit | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*(%|[kmgt]?)(?:i?b)?$/i.exec(written.trim()) ?? [];
  if (amount === undefined) return null;
  const power = units[unit.toLowerCase() as keyof typeof units] ?? 0;
  const bytes = unit === '%' ? (Number(amount) / 100) * machineMemory() : Number(amount) * 1024 ** power;
  return { bytes: Math.max(LEAST_BYTES, Math.floor(bytes)), written };
}

function machineMemory(): number {
  const granted = process.constrainedMemory?.() ?? 0;
  return granted > 0 && granted < totalmem() ? granted : totalmem();
}

/** Tells the model and the user what was used, what the limit is, and what to do. */
export function describeExcess(usedBytes: number, { bytes, written }: MemoryLimit): string {
  const isMore = usedBytes > bytes && formatBytes(usedBytes) !== formatBytes(bytes);
  const used = isMore ? `used ${formatBytes(usedBytes)}` : 'needed more';
  const limit = written.endsWith('%')
    ? `${formatBytes(bytes)}, ${written} of the machine's`
    : formatBytes(bytes);
  return (
    `stopped, with everything it had started, at the memory limit of ${limit} (setting sandbox.memory): it ${used}. ` +
    'The same command would hit the same limit: let it do less at once, or ask the user to raise the setting'
  );
}

export interface MemoryWatch {
  tree: Tree;
  limit: MemoryLimit;
  sleep(ms: number): Promise<void>;
  isOver(): boolean;
  onExcess(usedBytes: number): void;
}

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** The rate at which a program may fill its memory at most; the more room it has, the later the next look. */
const BYTES_PER_MS = 4 * 1024 * 1024;

/** Looks as often as the room that is left asks for, until the run is over. */
export async function watchMemory({ tree, limit, sleep, isOver, onExcess }: MemoryWatch): Promise<void> {
  for (let used = 0; ; ) {
    await sleep(pauseFor(limit.bytes - used));
    if (isOver()) return;
    used = (await memoryOf(tree, limit)) ?? 0;
    if (used > limit.bytes) return onExcess(used);
  }
}

function pauseFor(room: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, room / BYTES_PER_MS));
}

/** Memory use of the tree, more than the limit when its group met the limit already; null where that can't be seen. */
async function memoryOf(tree: Tree, limit: MemoryLimit): Promise<number | null> {
  const bounded = tree.group?.memory;
  if (bounded) return bounded.wasExceeded() ? Math.max(limit.bytes + 1, bounded.peakBytes()) : null;
  if (tree.table === null) return null;
  const pids = (await livingOf(tree, { quick: true })).map(({ pid }) => pid);
  const roughly = tree.table.memoryOf(pids);
  // Pages that parent and child share are counted for both; the exact number takes long to find out.
  if (roughly === null || roughly <= limit.bytes) return roughly;
  return tree.table.memoryOf(pids, { exactly: true }) ?? roughly;
}
