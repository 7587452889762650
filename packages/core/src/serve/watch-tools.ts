import { messageOf } from '@toolwright/machine/base/errors.js';
import type { Clock, Log } from '@toolwright/machine/host/host.js';
import type { OwnTools } from '../tools/own/open-own-tools.js';

export interface WatchToolsNeeds {
  clock: Pick<Clock, 'sleep'>;
  log: Log;
  signal: AbortSignal;
}

const INTERVAL_MS = 2_000;

/** Looks for new, changed and deleted tool files until the signal fires: clients are told of them without a restart. */
export async function watchTools(
  ownTools: Pick<OwnTools, 'refresh'>,
  { clock, log, signal }: WatchToolsNeeds,
): Promise<void> {
  let told = '';
  while (!signal.aborted) {
    await clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const problems = await ownTools.refresh(signal).catch((error: unknown) => [messageOf(error)]);
    const text = problems.join('\n');
    // A file that can't be used is told of once, not with every look.
    if (text !== told && text !== '') log.error(text);
    told = text;
  }
}
