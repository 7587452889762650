import { encodeText, spliceText } from '@toolwright/machine/base/text-codec.js';
import type { PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import { type PlannedFile, planChanges } from '@toolwright/machine/changes/plan.js';
import { rewriteText } from '../text-change/replace/rewrite.js';
import { exists, loadTarget, type TextChangeHost } from '../text-change/text-plan.js';

/** A text file as it shall be. */
export interface FileContentChange {
  /** Absolute, or relative to the workspace. */
  path: string;
  /** The whole text afterwards; null deletes the file. */
  content: string | null;
}

/** Plans a change set for all of them. Existing files keep their encoding and line endings. */
export async function planFiles(
  host: TextChangeHost,
  wanted: readonly FileContentChange[],
  signal: AbortSignal,
): Promise<PlannedChanges> {
  const files: PlannedFile[] = [];
  for (const { path, content } of wanted) files.push(await planFile(host, { path, content }, signal));
  return planChanges({ id: host.ids.next(), files, show: host.workspace.show });
}

async function planFile(
  host: TextChangeHost,
  { path, content }: FileContentChange,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const target = await loadTarget(host, path, signal);
  if (!exists(target)) {
    const after = content === null ? null : { bytes: await encodeText(content) };
    return { path: target.realPath, before: null, after };
  }
  const { file, realPath } = target;
  if (content === null) return { path: realPath, before: file, after: null };
  const edits = await rewriteText(file.decoded, content);
  return {
    path: realPath,
    before: file,
    after: { bytes: await spliceText(file.bytes, file.decoded, edits) },
  };
}
