import type { RawCall } from '../model/model.js';
import { effectsReached } from './approve-call.js';
import type { SchedulerOptions } from './call.js';
import { prepareCall } from './prepare-call.js';

type OnlyReadsNeeds = Pick<SchedulerOptions, 'registry' | 'falseClaims' | 'permission' | 'realPath'>;

/**
 * True if the checked effects of the call's tool are files to read and nothing else, and the rules let it read them unasked. A tool that
 * names no effects may do anything.
 */
export async function onlyReads(call: RawCall, needs: OnlyReadsNeeds): Promise<boolean> {
  const prepared = await prepareCall(call, needs).catch(() => null);
  const effects = prepared && (await effectsReached(prepared, needs));
  if (!effects || effects.length === 0 || effects.some(({ kind }) => kind !== 'read')) return false;
  const asked = { tool: prepared.tool.name, effects };
  await needs.permission.refreshCodeInUse(asked);
  return needs.permission.decide(asked).decision === 'allow';
}
