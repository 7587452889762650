import { freemem } from 'node:os';
import { openProcessTable } from '../platform/processes/choose-process-access.js';
import type { ProcessRow } from '../platform/processes/process-table.js';

/** Bytes that further programs can have: of the machine, or of the control group that bounds this process. */
export async function freeMemory(): Promise<number> {
  if (process.platform !== 'linux') return process.availableMemory();
  const { reclaimableBytes } = await import('../platform/processes/linux-group-memory.js');
  return Math.min(freemem(), process.availableMemory() + reclaimableBytes());
}

/** Bytes of this process and everything it has started; null where the system does not tell. */
export async function ownMemory(): Promise<number | null> {
  const table = await openProcessTable();
  const rows = await table?.rows().catch(() => null);
  return rows ? table!.memoryOf(withDescendants(process.pid, rows)) : null;
}

/** The process and its living descendants. */
export function withDescendants(pid: number, rows: readonly ProcessRow[]): number[] {
  const children = new Map<number, number[]>();
  for (const row of rows)
    if (!row.isGone) children.set(row.parent, [...(children.get(row.parent) ?? []), row.pid]);
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}
