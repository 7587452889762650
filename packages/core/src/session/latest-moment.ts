import { join } from 'node:path';
import { timeOfId } from '@toolwright/machine/host/node-host.js';
import { lookAtSync, namesInSync } from '@toolwright/machine/host/state/inspect-files.js';

/** Number of newest journals to check: a long session may have been written to after later ones began. */
const MOST_LOOKED_AT = 50;

/** The latest moment that the journals in a folder know of, whatever the clock says now; 0 where there are none. */
export function latestMoment(folder: string): number {
  const names = namesInSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .slice(-MOST_LOOKED_AT);
  const moments = names.map((name) =>
    Math.max(timeOfId(name), lookAtSync(join(folder, name))?.modifiedMs ?? 0),
  );
  return Math.max(0, ...moments);
}
