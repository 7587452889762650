import type { ProcessRow } from '../platform/processes/process-table.js';

/** Signs of a tree: its first process, and a text in the environment of all the others. */
export interface TreeRoot {
  pid: number;
  start: string;
}

export interface Signs {
  isMarked(row: ProcessRow): boolean;
  /** Processes that a control group names. */
  grouped: ReadonlySet<number>;
}

/**
 * Every living process of a tree, however far it went: children of members, the session and the group of the first
 * process, sessions that members opened, and whatever carries the mark after its parents are long gone.
 */
export function membersOf(root: TreeRoot, rows: readonly ProcessRow[], signs: Signs): ProcessRow[] {
  const isReused = rows.some((row) => row.pid === root.pid && row.start !== root.start);
  const isFirst = (row: ProcessRow): boolean =>
    signs.grouped.has(row.pid) ||
    (!isReused && (row.pid === root.pid || row.session === root.pid || row.group === root.pid)) ||
    (!isOlder(row, root) && signs.isMarked(row));
  const members = new Map<number, ProcessRow>();
  const others: ProcessRow[] = [];
  for (const row of rows) {
    if (row.pid === process.pid) continue;
    if (isFirst(row)) members.set(row.pid, row);
    else others.push(row);
  }
  addDescendants(members, others);
  return [...members.values()].filter((row) => !row.isGone);
}

function addDescendants(members: Map<number, ProcessRow>, others: readonly ProcessRow[]): void {
  let rest = others;
  for (;;) {
    const found = rest.filter((row) => members.has(row.parent) || members.has(row.session));
    if (found.length === 0) return;
    for (const row of found) members.set(row.pid, row);
    rest = rest.filter((row) => !members.has(row.pid));
  }
}

/** A process older than the root can't have been started by it. Start times that are no numbers tell nothing. */
function isOlder(row: ProcessRow, root: TreeRoot): boolean {
  return Number(row.start) < Number(root.start);
}
