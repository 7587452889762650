import { unlink } from 'node:fs/promises';
import { createPipes } from './launch/pipes.js';
import { limitsOf, lookAtMachine, type Machine } from './limits.js';
import { memoryLimitOf } from './memory.js';
import { reapLeftovers, writeRecord } from './orphans/leftovers.js';
import { type SendAway, startWatchdog } from './orphans/watchdog.js';
import type { Launch, Processes, ProcessesOptions, Running, RunOptions } from './processes.js';
import { createMarks, startOne } from './start-one.js';

export function openProcesses(needs: ProcessesOptions, examine = lookAtMachine): Processes {
  const marks = createMarks(needs.ids);
  const memory = memoryLimitOf(needs.memory);
  const all = new Set<Running>();
  const starting = new Set<Promise<Running>>();
  const pipes = createPipes();
  let machine: Promise<Machine> | undefined;
  const examineOnce = () => (machine ??= examine());
  let sendAway: SendAway = () => Promise.resolve();
  let record: Promise<string | null> | undefined;
  let hasLeft = false;

  /** Before the first command, so that there is no moment in which a kill of ours leaves something unknown. */
  const prepareForDeath = (): Promise<string | null> =>
    (record ??= (async () => {
      sendAway = startWatchdog(marks.owner, (await examineOnce()).groups);
      if (!needs.state) return null;
      return writeRecord(needs.state, marks.owner).catch((error: unknown) => {
        needs.log.error('what runs could not be written down', error);
        return null;
      });
    })());

  async function start(launch: Launch, options: RunOptions): Promise<Running> {
    options.signal.throwIfAborted();
    const beginning = begin(launch, options);
    starting.add(beginning);
    try {
      return await beginning;
    } finally {
      starting.delete(beginning);
    }
  }

  async function begin(launch: Launch, options: RunOptions): Promise<Running> {
    const [here] = await Promise.all([examineOnce(), prepareForDeath(), pipes.prepare()]);
    const running = await startOne({
      launch,
      options,
      ...marks.next(),
      machine: here,
      memory,
      pipes,
      clock: needs.clock,
      log: needs.log,
    });
    all.add(running);
    void running.ended.then(({ left }) => {
      all.delete(running);
      hasLeft ||= left > 0;
    });
    return running;
  }
  return {
    start,
    run: async (launch, options) => (await start(launch, options)).ended,
    limits: async () => limitsOf(await examineOnce(), memory),
    async reap(signal) {
      if (!needs.state) return 0;
      const { table, groups } = await examineOnce();
      return reapLeftovers({
        state: needs.state,
        table,
        groups,
        sleep: (ms) => needs.clock.sleep(ms),
        signal,
      });
    },
    async end(reason) {
      // Programs that are just being started come too late to be kept.
      await Promise.allSettled(starting);
      const ends = await Promise.all([...all].map((running) => running.stop(reason)));
      const path = await record;
      const isNothingLeft = !hasLeft && ends.every(({ left }) => left === 0);
      if (path && isNothingLeft) await unlink(path).catch(() => undefined);
      record = undefined;
      pipes.close();
      await sendAway(isNothingLeft);
    },
  };
}
