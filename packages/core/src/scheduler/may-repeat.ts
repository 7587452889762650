import type { RawCall } from '../model/model.js';
import { effectsReached } from './approve-call.js';
import type { SchedulerOptions } from './call.js';
import { prepareCall } from './prepare-call.js';

type MayRepeatNeeds = Pick<SchedulerOptions, 'registry' | 'falseClaims' | 'permission' | 'realPath'>;

/**
 * True if the checked effects of the call are files to read and nothing else, or its tool says that a repeat changes nothing, and the rules
 * allow it unasked. A tool that names no effects may do anything.
 */
export async function mayRepeat(call: RawCall, needs: MayRepeatNeeds): Promise<boolean> {
  const prepared = await prepareCall(call, needs).catch(() => null);
  // What it says about itself was untrue once.
  if (prepared?.falseClaim) return false;
  const effects = prepared && (await effectsReached(prepared, needs));
  if (!effects || effects.length === 0) return false;
  if (prepared.tool.isRepeatable !== true && effects.some(({ kind }) => kind !== 'read')) return false;
  const asked = { tool: prepared.tool.name, effects };
  await needs.permission.refreshCodeInUse(asked);
  return needs.permission.decide(asked).decision === 'allow';
}
