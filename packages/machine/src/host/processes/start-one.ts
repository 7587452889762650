import type { Host, Ids } from '../host.js';
import { MARK_DIGITS, type Mark } from '../platform/processes/process-table.js';
import type { GroupStock } from './group-stock.js';
import { isNode, type Pipes } from './launch/pipes.js';
import { prepareLaunch } from './launch/prepare.js';
import { type Spawned, type SpawnRequest, spawnPiped } from './launch/spawn-piped.js';
import { type Machine, MOST_PROCESSES } from './limits.js';
import type { MemoryLimit } from './memory.js';
import { createOutlet, type Outlet } from './output/outlet.js';
import type { Launch, Running, RunOptions } from './processes.js';
import { createRunning } from './running.js';

/** Stands in the environment of everything we start, so that it is known for ours wherever it goes. */
const MARK_VARIABLE = 'TOOLWRIGHT_RUN';

export interface StartRequest extends Pick<Host, 'clock' | 'log'> {
  launch: Launch;
  options: RunOptions;
  /** Unique among all runs of all our processes. */
  name: string;
  mark: Mark;
  machine: Machine;
  memory: MemoryLimit | null;
  groups: GroupStock;
  pipes: Pipes;
}

export async function startOne(request: StartRequest): Promise<Running> {
  const { launch, options, name, mark, machine, groups, pipes, clock, log } = request;
  const most = options.maxProcesses ?? MOST_PROCESSES;
  const isBare = options.startsNothing === true;
  const memory = isBare ? null : request.memory;
  const bounds = { processes: most, memory: memory?.bytes };
  const group = isBare || machine.groups === null ? null : groups.take(machine.groups, name, bounds);
  // A program that starts nothing is its whole tree.
  const table = isBare ? null : machine.table;
  let outlet: Outlet | undefined;
  try {
    const prepared = prepareLaunch(
      launch,
      isBare
        ? null
        : {
            markDigits: mark.digits,
            joinPaths: group?.joinPaths ?? [],
            userLimit: group || machine.userTasks === null ? null : machine.userTasks + most,
            deathSignal: isLongLived(options) ? await machine.deathSignal() : null,
            handsOver: isNode && options.terminal === undefined,
          },
    );
    outlet = createOutlet(options, log);
    options.signal.throwIfAborted();
    const output = createOutput(outlet, options.maxOutputBytes);
    // A program started under another Toolwright belongs to both.
    const outer = process.env[MARK_VARIABLE] ?? '';
    const environment = { ...launch.environment, [MARK_VARIABLE]: outer + mark.text };
    const spawned = await spawnWith({ launch, prepared, environment, options, pipes, onBytes: output.take });
    const start = (await table?.rowOf(spawned.pid))?.start ?? '';
    const tree = { root: { pid: spawned.pid, start }, mark, table, group };
    // The command's end need not wait for this.
    const onOver = () => void setImmediate(() => group && groups.giveBack(group, bounds));
    const running = createRunning({ spawned, outlet, tree, memory, options, clock, log, onOver });
    output.connect(spawned, running);
    return running;
  } catch (error) {
    outlet?.close();
    group?.remove();
    throw error;
  }
}

/** A short command is left to the watchdog alone: one more program in front would cost it a fifth of its time. */
function isLongLived({ follow, keepInputOpen }: RunOptions): boolean {
  return follow === 'tree' || keepInputOpen === true;
}

async function spawnWith(request: SpawnRequest): Promise<Spawned> {
  if (!request.options.terminal) return spawnPiped(request);
  const { spawnOnTerminal } = await import('./launch/spawn-terminal.js');
  return spawnOnTerminal(request);
}

/** Hands output on; makes the program wait for slow listeners, and ends it at the limit. */
function createOutput(outlet: Outlet, maxBytes = Number.POSITIVE_INFINITY) {
  let spawned: Spawned | undefined;
  let running: Running | undefined;
  const checkLimit = (): void => {
    if (outlet.totalBytes() > maxBytes) void running?.stop({ kind: 'limit' });
  };
  return {
    take(bytes: Buffer, stream: 'stdout' | 'stderr'): void {
      const wait = outlet.take(bytes, stream);
      checkLimit();
      if (wait === null || spawned === undefined) return;
      const paused = spawned;
      paused.pause();
      void wait.then(() => paused.resume());
    },
    connect(startedProcess: Spawned, startedRun: Running): void {
      spawned = startedProcess;
      running = startedRun;
      checkLimit();
    },
  };
}

/** Marks in the environment that tell which processes this program, and each of its runs, has started. */
interface Marks {
  /** Carried by everything that was started here. */
  owner: Mark;
  /** Carried by everything that one run has started, with a name that is unique among all of them. */
  next(): { name: string; mark: Mark };
}

const OWNER_DIGITS = 9;
const RUN_DIGITS = MARK_DIGITS - OWNER_DIGITS;

export function createMarks(ids: Ids): Marks {
  const name = ids.next();
  const least = 10 ** (OWNER_DIGITS - 1);
  const digits = String(least + Math.floor(ids.random() * 9 * least));
  let count = 0;
  return {
    owner: { text: `${name}.`, digits },
    next() {
      count++;
      const run = String(count % 10 ** RUN_DIGITS).padStart(RUN_DIGITS, '0');
      // The comma ends it: run 1 is not run 12.
      return { name: `${name}.${count}`, mark: { text: `${name}.${count},`, digits: digits + run } };
    },
  };
}
