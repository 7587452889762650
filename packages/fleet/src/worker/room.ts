import { cpus } from 'node:os';
import type { Clock } from '@toolwright/core';

/** The cores and the memory of this machine, or of the part of it that this process may use. */
export interface MachineReading {
  cores: number;
  freeBytes(): Promise<number>;
  /** Bytes of this process and what it has started; null where that can't be seen. */
  ownBytes(): Promise<number | null>;
  /** The part of all cores that was busy since the last call, from 0 to 1. */
  busyShare(): number;
}

/** The room for tasks on the machine of a worker. */
export interface Room {
  /**
   * Takes a place beside so many running tasks, which is left when its task is over or none came. Gives null, or a sentence that says
   * why there is no room.
   */
  enter(running: number): Promise<string | null>;
  leave(): void;
  /** Measures the memory that so many running tasks need, and how busy the cores are. */
  look(running: number): Promise<void>;
}

/** The memory that a task is taken to need before one was measured. */
const LEAST_BYTES = 64 * 1024 ** 2;
/** The share of busy time from which all cores count as busy. */
const BUSY = 0.95;

/**
 * One task is always taken, so that the fleet goes on. A further one is taken while each could have as much memory as a task here has
 * been seen to need, those that have just begun as well; and, once every core has a task, while the cores are not all busy.
 */
export function openRoom(machine: MachineReading): Room {
  let needBytes = LEAST_BYTES;
  let idleBytes: number | null = null;
  /** The memory that so many running tasks have taken; null where it can't be seen. */
  let seen: { bytes: number; running: number } | null = { bytes: 0, running: 0 };
  let busy = 0;
  let taken = 0;

  async function refusal(others: number, running: number): Promise<string | null> {
    if (others === 0) return null;
    if ((await machine.freeBytes()) + takenBy(running) < needBytes * (others + 1)) {
      const need = Math.ceil(needBytes / 1024 ** 2);
      return `No further task is taken while less memory is free than one has needed here (${need} MB).`;
    }
    if (others < machine.cores || busy <= BUSY) return null;
    return `No further task is taken while all cores are busy (${machine.cores}).`;
  }

  /** Memory of tasks that have ended since they were seen is free again. */
  function takenBy(running: number): number {
    if (seen === null) return needBytes * running;
    return seen.running === 0 ? 0 : seen.bytes * Math.min(1, running / seen.running);
  }

  return {
    async enter(running) {
      taken += 1;
      const why = await refusal(taken - 1, running);
      if (why !== null) taken -= 1;
      return why;
    },
    leave() {
      taken -= 1;
    },
    async look(running) {
      busy = machine.busyShare();
      const own = await machine.ownBytes();
      seen = null;
      if (own === null) return;
      if (running === 0 || idleBytes === null) idleBytes = own;
      else needBytes = Math.max(needBytes, (own - idleBytes) / running);
      seen = { bytes: Math.max(0, own - idleBytes), running };
    },
  };
}

const LOOK_EVERY_MS = 1_000;

/** Measures once a second while tasks run, and once more after the last of them. */
export async function watchRoom(
  room: Room,
  running: ReadonlyMap<string, unknown>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  for (let before = -1; !signal.aborted; await clock.sleep(LOOK_EVERY_MS, signal)) {
    const present = running.size;
    if (present > 0 || before !== 0) await room.look(present);
    before = present;
  }
}

/** Gives a function that tells the busy share of all cores since its last call. */
export function watchCores(read = cpus): () => number {
  let [idle, total] = timesOf(read());
  return () => {
    const [idleNow, totalNow] = timesOf(read());
    const passed = totalNow - total;
    const share = passed > 0 ? 1 - (idleNow - idle) / passed : 0;
    [idle, total] = [idleNow, totalNow];
    return share;
  };
}

function timesOf(cores: ReturnType<typeof cpus>): [idle: number, total: number] {
  const idle = cores.reduce((sum, { times }) => sum + times.idle, 0);
  const total = cores.reduce((sum, { times }) => sum + Object.values(times).reduce((a, b) => a + b, 0), 0);
  return [idle, total];
}
