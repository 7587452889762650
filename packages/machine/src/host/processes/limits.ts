import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { formatBytes } from '../../base/amounts.js';
import { openProcessTable } from '../platform/processes/choose-process-access.js';
import { type BoundedGroups, findBoundedGroups } from '../platform/processes/linux-process-groups.js';
import type { ProcessTable } from '../platform/processes/process-table.js';
import { runOwnProgram } from './launch/child-process.js';
import type { MemoryLimit } from './memory.js';
import type { ProcessLimits } from './processes.js';

/** Means of this machine to bound, find and end processes. Looked at once. */
export interface Machine {
  table: ProcessTable | null;
  groups: BoundedGroups | null;
  /** The program that has the kernel end a command when we die; looked for when first asked. */
  deathSignal(): Promise<string | null>;
  /** Processes and threads of this user, where a limit on them would bind. */
  userTasks: number | null;
}

/** The processes of a command at a time. Builds and test runs stay far below. */
export const MOST_PROCESSES = 4_096;
const setprivPlaces = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'];

export async function lookAtMachine(): Promise<Machine> {
  const table = await openProcessTable();
  const isLinux = process.platform === 'linux';
  let deathSignal: Promise<string | null> | undefined;
  return {
    table,
    groups: isLinux ? findBoundedGroups() : null,
    deathSignal: () => (deathSignal ??= isLinux ? findDeathSignal() : Promise.resolve(null)),
    // The kernel counts, but never refuses, the processes of root.
    userTasks: isLinux && process.getuid?.() !== 0 ? await countTasks() : null,
  };
}

async function countTasks(): Promise<number> {
  const { tasksOfUser } = await import('../platform/processes/linux-process-table.js');
  return tasksOfUser(process.getuid?.() ?? 0);
}

/** The smaller relatives of util-linux lack the option, so it is tried. */
async function findDeathSignal(): Promise<string | null> {
  for (const path of setprivPlaces) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    const args = ['--pdeathsig', 'KILL', '--', '/bin/true'];
    const { failure } = await runOwnProgram(path, args, { deadlineMs: 2_000 });
    if (failure === null) return path;
  }
  return null;
}

export async function limitsOf(machine: Machine, memory: MemoryLimit | null): Promise<ProcessLimits> {
  return {
    processes: processBound(machine),
    memory: memoryBound(machine, memory),
    tree: treeSight(machine),
    death: await deathPromise(machine),
    terminal: await terminalPromise(),
  };
}

function processBound({ groups, userTasks }: Machine): ProcessLimits['processes'] {
  if (groups) {
    return {
      bound: 'cgroup',
      most: MOST_PROCESSES,
      sentence: `A command may have ${MOST_PROCESSES} processes at once (control group, version ${groups.version}).`,
    };
  }
  if (userTasks !== null) {
    return {
      bound: 'user-limit',
      most: MOST_PROCESSES,
      sentence: `A command may have about ${MOST_PROCESSES} processes at once (limit of processes per user; no control group is writable here).`,
    };
  }
  return {
    bound: 'none',
    most: null,
    sentence:
      'Nothing here bounds how many processes a command starts: no control group is writable, and the limit of processes per user does not bind this user. A storm is still ended on cancel.',
  };
}

function memoryBound({ groups, table }: Machine, limit: MemoryLimit | null): ProcessLimits['memory'] {
  if (limit === null) {
    return {
      bound: 'none',
      most: null,
      sentence: 'Nothing bounds the memory of a command: sandbox.memory is "none".',
    };
  }
  const most = limit.bytes;
  const may = `A command may use ${formatBytes(most)} of memory with all it starts (sandbox.memory is ${JSON.stringify(limit.written)}).`;
  if (groups?.boundsMemory) return { bound: 'cgroup', most, sentence: `${may} A control group bounds it.` };
  if (table) {
    return {
      bound: 'watched',
      most,
      sentence: `${may} No control group is writable here, so the size of its processes is watched, and what grows faster than it is looked at may use more for a moment.`,
    };
  }
  return {
    bound: 'none',
    most: null,
    sentence: "Nothing bounds the memory of a command: processes can't be listed here.",
  };
}

function treeSight({ groups, table }: Machine): ProcessLimits['tree'] {
  if (groups) {
    return {
      found: 'cgroup',
      sentence: 'All processes of a command are found when it ends: the control group names them.',
    };
  }
  if (table) {
    return {
      found: 'process-table',
      sentence:
        'All processes of a command are found when it ends: by parent, by session and by a mark that they inherit.',
    };
  }
  return {
    found: 'group',
    sentence:
      "Processes can't be listed here. A command is ended by its process group, and a process that started its own session is not found.",
  };
}

async function deathPromise({ deathSignal, table }: Machine): Promise<ProcessLimits['death']> {
  if (process.platform === 'linux' && table) {
    const kernel = (await deathSignal())
      ? ', and the kernel ends jobs and servers at once (setpriv --pdeathsig)'
      : '';
    return {
      dies: 'tree',
      sentence: `When Toolwright is killed, a watchdog ends all it started${kernel}. The next start ends what may still be left.`,
    };
  }
  return {
    dies: 'next-start',
    sentence: 'When Toolwright is killed, what its commands started is ended by its next start.',
  };
}

async function terminalPromise(): Promise<ProcessLimits['terminal']> {
  const { loadTerminals } = await import('./launch/spawn-terminal.js');
  const available = (await loadTerminals()) !== null;
  return {
    available,
    sentence: available
      ? 'Commands can run on a pseudo-terminal, and it is seen when one waits for somebody to type.'
      : 'No pseudo-terminal: the optional package @lydell/node-pty is not installed for this platform. Commands run without a terminal and find no input.',
  };
}
