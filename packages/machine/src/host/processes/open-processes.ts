import { createGroupStock } from './group-stock.js';
import { createPipes } from './launch/pipes.js';
import { limitsOf, lookAtMachine, type Machine } from './limits.js';
import { memoryLimitOf } from './memory.js';
import { createOrphanGuard, reapLeftovers } from './orphans/leftovers.js';
import type { Processes, Running, StopReason } from './processes.js';
import type { ProcessesOptions } from './processes-options.js';
import { createMarks, startOne } from './start-one.js';

export function openProcesses(needs: ProcessesOptions, examine = lookAtMachine): Processes {
  const { clock, log, state } = needs;
  const marks = createMarks(needs.ids);
  const memory = memoryLimitOf(needs.memory);
  const pipes = createPipes();
  const groups = createGroupStock({ clock });
  let machine: Promise<Machine> | undefined;
  const examineOnce = () => (machine ??= examine());
  const guard = createOrphanGuard(marks.owner, { state, log, machine: examineOnce });
  const ours = createOurProcesses();

  const start: Processes['start'] = async (launch, options) => {
    options.signal.throwIfAborted();
    return ours.add(async () => {
      // Before the first command, so that there is no moment in which a kill of ours leaves something unknown.
      const [here] = await Promise.all([examineOnce(), guard.begin(), pipes.prepare()]);
      return startOne({ launch, options, ...marks.next(), machine: here, memory, groups, pipes, clock, log });
    });
  };

  return {
    start,
    run: async (launch, options) => (await start(launch, options)).ended,
    limits: async () => limitsOf(await examineOnce(), memory),
    async reap(signal) {
      if (!state) return 0;
      const { table, groups: all } = await examineOnce();
      return reapLeftovers({ state, table, groups: all, sleep: (ms) => clock.sleep(ms), signal });
    },
    async end(reason) {
      const isNothingLeft = await ours.end(reason);
      pipes.close();
      groups.close();
      await guard.end(isNothingLeft);
    },
  };
}

/** Everything that was started here and is not over. */
function createOurProcesses() {
  const all = new Set<Running>();
  const starting = new Set<Promise<Running>>();
  let hasLeft = false;
  return {
    async add(begin: () => Promise<Running>): Promise<Running> {
      const beginning = begin();
      starting.add(beginning);
      try {
        const running = await beginning;
        all.add(running);
        void running.ended.then(({ left }) => {
          all.delete(running);
          hasLeft ||= left > 0;
        });
        return running;
      } finally {
        starting.delete(beginning);
      }
    },
    /** True when every process is gone. */
    async end(reason: StopReason): Promise<boolean> {
      // Programs that are just being started come too late to be kept.
      await Promise.allSettled(starting);
      const ends = await Promise.all([...all].map((running) => running.stop(reason)));
      return !hasLeft && ends.every(({ left }) => left === 0);
    },
  };
}
