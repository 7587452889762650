import type { Toolbox } from '@toolwright/core';
import type { WebNeeds } from '../needs.js';

/** A toolbox to look at, kept for a short while: a rule is explained with each key that is pressed. */
export interface LookingToolbox {
  use<Result>(work: (toolbox: Toolbox) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** A toolbox is opened anew after this time, with the settings that hold by then. */
const KEPT_MS = 5_000;

export function createLookingToolbox(needs: Pick<WebNeeds, 'openToolbox'>): LookingToolbox {
  let current: { toolbox: Promise<Toolbox>; users: number; isOld: boolean } | null = null;

  const letGo = async (held: NonNullable<typeof current>): Promise<void> => {
    if (held.isOld && held.users === 0) await (await held.toolbox).close();
  };

  function open(): NonNullable<typeof current> {
    const made = { toolbox: needs.openToolbox({}), users: 0, isOld: false };
    current = made;
    const retire = (): void => {
      made.isOld = true;
      if (current === made) current = null;
      void letGo(made).catch(() => undefined);
    };
    setTimeout(retire, KEPT_MS).unref();
    made.toolbox.catch(retire);
    return made;
  }

  return {
    async use(work, signal) {
      signal.throwIfAborted();
      const held = current ?? open();
      held.users += 1;
      try {
        return await work(await held.toolbox);
      } finally {
        held.users -= 1;
        await letGo(held);
      }
    },
    async close() {
      const held = current;
      current = null;
      if (held) await (await held.toolbox).close();
    },
  };
}
