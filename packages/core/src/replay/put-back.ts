import { type PlannedFile, planChanges } from '@toolwright/machine/changes/plan.js';
import type { Agent } from '../create-agent.js';
import type { Recording } from '../recording/recording.js';
import type { Script } from '../recording/script.js';
import { contentOfState, contentOrWhyNot, isState } from './compare-files.js';

/**
 * Puts the files that the session changed back to what they were before it, in the view of the replay. Gives the files that
 * are neither what they were before the session nor what it left, or whose earlier content is gone.
 */
export async function putBack(
  agent: Pick<Agent, 'host' | 'changes'>,
  { recording, script }: { recording: Pick<Recording, 'contentOf'>; script: Script },
  signal: AbortSignal,
): Promise<{ changeSet: string | null; notPutBack: string[] }> {
  const { host, changes } = agent;
  const { show } = host.workspace;
  const files: PlannedFile[] = [];
  const notPutBack: string[] = [];
  for (const [path, { start, end }] of script.files) {
    const before = host.workspace.rootOf(path) ? await contentOrWhyNot(host.files, path, signal) : 'outside';
    if (typeof before !== 'string' && isState(start, before)) continue;
    const after = await contentOfState(start, recording);
    if (typeof before === 'string' || after === undefined || !isState(end, before))
      notPutBack.push(show(path));
    else files.push({ path, before, after });
  }
  if (files.length === 0) return { changeSet: null, notPutBack };
  const planned = await planChanges({ id: host.ids.next(), files, show });
  const { id } = await changes.commit(planned, { signal });
  return { changeSet: id, notPutBack };
}
