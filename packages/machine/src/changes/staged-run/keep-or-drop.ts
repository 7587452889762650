import { createHash } from 'node:crypto';
import { isToolError, ToolError } from '../../base/errors.js';
import type { OwnedFolder } from '../../host/leases/owned-folder.js';
import type { BlobSource } from '../../host/objects/before-images.js';
import { readWhole } from '../../host/staging/read-entry.js';
import type { ChangeSet, PlannedChanges } from '../change-set.js';
import type { FoundChanges } from './run-on-overlay.js';
import type { StagedRun, StagedRunsNeeds } from './staged-run.js';

export interface Kept {
  needs: Pick<StagedRunsNeeds, 'changes' | 'files' | 'workspace' | 'ids'>;
  stage: Pick<OwnedFolder, 'remove'>;
  found?: FoundChanges;
  /** Why nothing can be kept. */
  why?: string;
}

/** The plan of a staged run, and its two ends. */
export function keepOrDrop(kept: Kept): Pick<StagedRun, 'planned' | 'keep' | 'drop'> {
  const { needs, stage, found, why } = kept;
  const planned: PlannedChanges = found
    ? { changeSet: found.changeSet, blobs: blobsOf(found.contents), diff: found.diff }
    : { changeSet: nothing(needs.ids.next()), blobs: blobsOf(new Map()), diff: { kind: 'diff', files: [] } };
  let dropped: Promise<void> | undefined;
  const drop = () => (dropped ??= stage.remove());
  return {
    planned,
    drop,
    async keep(options) {
      if (why !== undefined) throw new ToolError('conflict', why);
      try {
        return await needs.changes.commit(planned, options);
      } catch (error) {
        throw await withWhatOthersDid(error, kept);
      } finally {
        await drop();
      }
    },
  };
}

function nothing(id: string): ChangeSet {
  return { v: 1, id, changes: [], directories: [], removedDirectories: [] };
}

/** Read only when a commit asks, and only believed when it still is what the user saw. */
function blobsOf(contents: FoundChanges['contents']): BlobSource {
  return {
    async read(hash) {
      const entry = contents.get(hash);
      const bytes = entry && (await readWhole(entry.at));
      if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) return bytes;
      throw new ToolError('conflict', 'What the command wrote is not there any more. Run it again.');
    },
  };
}

const MOST_SHOWN = 4_000;

/** A conflict says which files; this adds what happened to them. */
async function withWhatOthersDid(error: unknown, { needs, found }: Kept): Promise<unknown> {
  if (!isToolError(error) || error.code !== 'conflict' || !found) return error;
  const { diffFile } = await import('../../base/diff.js');
  let shown = '';
  for (const [path, before] of found.before) {
    if (shown.length > MOST_SHOWN) break;
    const present = await needs.files.read(path).catch(() => null);
    if (present && Buffer.compare(present.bytes, before) === 0) continue;
    const after = present?.bytes ?? null;
    shown += (await diffFile({ path: needs.workspace.show(path), before, after })).unified;
  }
  if (shown === '') return error;
  const text = shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}\n(cut here)` : shown;
  return new ToolError('conflict', `${error.message}\nWhat changed meanwhile:\n${text}`, { cause: error });
}
