import { join } from 'node:path';
import { createFiles, type FilesOptions } from '../../host/files/create-files.js';
import type { Files } from '../../host/files/files.js';
import type { BeforeImages } from '../../host/objects/before-images.js';
import { makePrivateFolder } from '../../host/objects/image-file.js';
import { directoriesOfView } from '../../host/platform/directory-access.js';
import { openView, type View } from '../../host/staging/view.js';
import type { Workspace } from '../../host/workspace.js';
import { type ChangeSet, stateBefore } from '../change-set.js';
import { type Changes, type ChangesOptions, createChanges } from '../commit.js';
import type { Choice } from '../review/choose.js';
import { createStagedRuns } from '../staged-run/create-staged-runs.js';
import { stagedRoots } from '../staged-run/possible.js';
import type { StagedRuns, StagedRunsNeeds } from '../staged-run/staged-run.js';
import { type Bases, openBases } from './bases.js';
import { type KeptWork, keepWork, type ReviewedWork, reviewWork } from './work-apart.js';

/** The workspace on a view of its own: files and commands see what was done there, and nobody else does until it is kept. */
export interface Apart {
  readonly view: View;
  /** Of the view. */
  readonly files: Files;
  /** Changes files of the view. */
  readonly changes: Changes;
  /** Runs commands on a copy of the view. */
  readonly staged: StagedRuns;
  review(signal: AbortSignal): Promise<ReviewedWork>;
  /** Keeps chosen changes of a review, which `digest` names, in the workspace itself. */
  keep(kept: { digest: string; choice: Choice | 'all' }, signal: AbortSignal): Promise<KeptWork>;
  close(): void;
}

export interface ApartNeeds extends Omit<StagedRunsNeeds, 'view' | 'changes' | 'workspace'> {
  /** Holds the work; the same folder again goes on with it. */
  folder: string;
  way: number;
  workspace: Workspace;
  /** Changes files of the workspace itself, as `files` reads them. */
  changes: Changes;
  policy?: FilesOptions['policy'];
  record: ChangesOptions['record'];
}

export async function openApart(needs: ApartNeeds, signal: AbortSignal): Promise<Apart> {
  const { folder, way, workspace, ids, policy, objects, withLock, log } = needs;
  await makePrivateFolder(folder);
  const view = await openView({ folder, roots: stagedRoots(workspace), way }, signal);
  const files = createFiles(workspace, { ids, policy, access: directoriesOfView(view) });
  const bases = await openBases(folder);
  const changes = createChanges({
    ...{ files, workspace, objects, withLock, ids, log },
    intentsDirectory: join(folder, 'intents'),
    async record(changeSet, origin) {
      await noteBases(changeSet, { bases, files, objects });
      await needs.record(changeSet, origin);
    },
  });
  await changes.recover(signal);
  const work = { ...needs, view, bases, viewFiles: files };
  return {
    view,
    files,
    changes,
    staged: createStagedRuns({ ...needs, files, changes, view }),
    review: (reviewSignal) => reviewWork(work, reviewSignal),
    keep: (kept, keepSignal) => keepWork(work, kept, keepSignal),
    close: () => view.close(),
  };
}

interface NoteNeeds {
  bases: Bases;
  files: Files;
  objects: BeforeImages;
}

/**
 * A committed change set tells what each of its entries was before. A folder in whose place something else was put stands in
 * two of its lists, so the order matters: what the entry was comes first.
 */
async function noteBases(changeSet: ChangeSet, { bases, files, objects }: NoteNeeds): Promise<void> {
  const nothing = async (): Promise<Uint8Array> => new Uint8Array();
  for (const { path, mode = 0o755 } of changeSet.removedDirectories)
    await bases.note(path, { kind: 'directory', mode }, nothing);
  for (const change of changeSet.changes) {
    const { path } = change;
    await bases.note(path, stateBefore(change), async (hash) => {
      // A file that only got another mode was not replaced, so it still holds what it held.
      return change.kind === 'mode' ? (await files.read(path)).bytes : objects.read(hash);
    });
  }
  for (const { path } of changeSet.directories) await bases.note(path, { kind: 'absent' }, nothing);
}
