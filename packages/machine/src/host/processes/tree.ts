import type { BoundedGroup } from '../platform/processes/linux-process-groups.js';
import type { Mark, ProcessRow, ProcessTable } from '../platform/processes/process-table.js';
import { runOwnProgram } from './launch/child-process.js';
import type { Survivor } from './processes.js';

/** Everything one launch has started. */
export interface Tree {
  root: TreeRoot;
  mark: Mark;
  table: ProcessTable | null;
  group: BoundedGroup | null;
}

export interface EndOptions {
  graceMs: number;
  sleep(ms: number): Promise<void>;
}

const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;
const MAX_KILL_MS = 10_000;
const MAX_SURVIVORS = 20;

/** Living processes of the tree. `quick` asks the control group alone; without one, only processes younger than its first one. */
export async function livingOf(tree: Tree, { quick = false } = {}): Promise<ProcessRow[]> {
  const found = await listMembers(tree, quick);
  // A list is no picture of one moment: a child that was born while it was read, of a parent that died meanwhile, is missing.
  return found.length > 0 ? found : listMembers(tree, quick);
}

async function listMembers({ root, table, group, mark }: Tree, quick: boolean): Promise<ProcessRow[]> {
  const groupIfAlive = () => (isAlive(-root.pid) ? [groupAlone(root)] : []);
  if (table === null) return groupIfAlive();
  const grouped = new Set(group?.pids());
  if (quick && group) return livingRows(grouped, table);
  const rows = await table.rows(quick ? root.pid : undefined).catch(() => null);
  // No descriptor is left to list them with.
  if (rows === null) return groupIfAlive();
  return membersOf(root, rows, { isMarked: ({ pid }) => table.carries(pid, mark), grouped });
}

async function livingRows(pids: Iterable<number>, table: ProcessTable): Promise<ProcessRow[]> {
  const rows = await Promise.all([...pids].map((pid) => table.rowOf(pid)));
  return rows.filter((row) => row !== null && !row.isGone) as ProcessRow[];
}

/** A group stands for all of its processes where they can't be listed. */
function groupAlone({ pid, start }: TreeRoot): ProcessRow {
  return { pid, parent: 0, group: pid, session: pid, start, isGone: false };
}

export async function describeLiving(tree: Tree, rows: readonly ProcessRow[]): Promise<Survivor[]> {
  const described = rows.slice(0, MAX_SURVIVORS).map(async ({ pid }) => ({
    pid,
    command: (await tree.table?.commandOf(pid)) ?? '',
  }));
  return Promise.all(described);
}

/**
 * Asks all of it to end, waits, then ends it, and looks until nothing is left. Gives how many could not be ended:
 * those that the kernel itself holds, or that run for another user.
 */
export async function endTree(tree: Tree, { graceMs, sleep }: EndOptions): Promise<number> {
  if (process.platform === 'win32' && tree.table === null) return endOnWindows(tree.root.pid);
  let living = await livingOf(tree);
  if (living.length === 0) return 0;
  signalAll(tree, living, 'SIGTERM');
  // A halted process hears nothing until it goes on.
  signalAll(tree, living, 'SIGCONT');
  living = await waitUntilEmpty(tree, { limitMs: graceMs, sleep });
  if (living.length === 0) return 0;
  const rest = await waitUntilEmpty(tree, {
    limitMs: MAX_KILL_MS,
    sleep,
    // Again for each look: what forks faster than it is listed has new members each time.
    before: (rows) => {
      tree.group?.kill();
      signalAll(tree, rows, 'SIGKILL');
    },
    living,
  });
  return rest.length;
}

interface EmptyTreeWait {
  limitMs: number;
  sleep(ms: number): Promise<void>;
  before?(living: readonly ProcessRow[]): void;
  living?: ProcessRow[];
}

async function waitUntilEmpty(
  tree: Tree,
  { limitMs, sleep, before, living }: EmptyTreeWait,
): Promise<ProcessRow[]> {
  let present = living ?? (await livingOf(tree));
  let pause = FIRST_PAUSE_MS;
  for (let waited = 0; present.length > 0 && waited < limitMs; waited += pause) {
    before?.(present);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    await sleep(pause);
    present = await livingOf(tree);
  }
  return present;
}

function signalAll(tree: Tree, rows: readonly ProcessRow[], signal: NodeJS.Signals): void {
  // The group at once and first: nobody in it can fork in between.
  if (rows.some(({ group }) => group === tree.root.pid)) send(-tree.root.pid, signal);
  for (const { pid, group } of rows) if (group !== tree.root.pid) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended, or it belongs to another user: the next look tells.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Written after the manual and not yet run on Windows. */
async function endOnWindows(pid: number): Promise<number> {
  const { SystemRoot = 'C:\\Windows', PATH = '' } = process.env;
  const args = ['/pid', String(pid), '/T', '/F'];
  await runOwnProgram('taskkill', args, {
    deadlineMs: MAX_KILL_MS,
    environment: { SystemRoot, PATH },
    directory: SystemRoot,
  });
  return isAlive(pid) ? 1 : 0;
}

/** Signs of a tree: its first process, and a text in the environment of all the others. */
interface TreeRoot {
  pid: number;
  start: string;
}

interface Signs {
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
