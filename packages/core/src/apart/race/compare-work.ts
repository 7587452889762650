import type { FileDiff } from '@toolwright/machine/base/content.js';
import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import { contentAt, type PlannedFile, planChanges } from '@toolwright/machine/changes/plan.js';
import type { Files } from '@toolwright/machine/host/files/files.js';

/** The work of one session: the paths it changed, and its view of the files. */
export interface ComparedWork {
  paths: readonly string[];
  files: Pick<Files, 'lstat' | 'read' | 'readLink'>;
}

/** The difference between the changes of two sessions apart. */
export interface WorkDifference {
  diff: FileDiff;
  /** Files that differ or not, but can't be read, and why. */
  notShown: { path: string; why: string }[];
}

export interface CompareOptions {
  show(path: string): string;
  signal: AbortSignal;
}

/** The difference between the work of two sessions: what would lead from the first to the second. */
export async function compareWork(
  from: ComparedWork,
  to: ComparedWork,
  { show, signal }: CompareOptions,
): Promise<WorkDifference> {
  const notShown: WorkDifference['notShown'] = [];
  const compared: PlannedFile[] = [];
  for (const path of [...new Set([...from.paths, ...to.paths])].sort()) {
    try {
      const before = await contentAt(from.files, path, signal);
      compared.push({ path, before, after: await contentAt(to.files, path, signal) });
    } catch (error) {
      if (!isToolError(error)) throw error;
      notShown.push({ path: show(path), why: messageOf(error) });
    }
  }
  const { diff } = await planChanges({ id: 'difference', files: compared, show });
  return { diff, notShown };
}
