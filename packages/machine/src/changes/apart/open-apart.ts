import { join } from 'node:path';
import type { Files } from '../../host/files/files.js';
import type { BeforeImages } from '../../host/objects/before-images.js';
import { type ChangeSet, stateBefore } from '../change-set.js';
import { type Changes, type ChangesOptions, createChanges } from '../commit.js';
import { type Bases, openBases } from './bases.js';
import { noteStrays } from './strays.js';
import {
  dropWork,
  type KeepWork,
  type KeptWork,
  keepWork,
  type ReviewedWork,
  reviewWork,
  type WorkApartNeeds,
} from './work-apart.js';

/** The work of a session on a view of its own: nobody else sees it until it is kept. */
export interface Apart {
  /** Changes files of the view. */
  readonly changes: Changes;
  /** The changes of the view, those of programs that record none included. */
  review(signal: AbortSignal): Promise<ReviewedWork>;
  /** Keeps chosen changes of a review, which `digest` names, in the workspace itself. */
  keep(kept: KeepWork, signal: AbortSignal): Promise<KeptWork>;
  /** Takes changes out of the view: those of some paths and of everything they need, or all. */
  drop(paths: readonly string[] | 'all', signal: AbortSignal): Promise<void>;
}

export interface ApartNeeds
  extends Omit<WorkApartNeeds, 'bases' | 'workspace'>,
    Pick<ChangesOptions, 'objects' | 'withLock' | 'log' | 'record' | 'lasting'> {
  /** The moment the work began, in milliseconds since 1970. */
  startedAtMs: number;
  /** The workspace of work apart, whose place is the view. */
  workspace: WorkApartNeeds['workspace'] & ChangesOptions['workspace'];
}

/** The folder may hold earlier work, which then goes on. */
export async function openApart(needs: ApartNeeds, signal: AbortSignal): Promise<Apart> {
  const { view, viewFiles: files, objects } = needs;
  const bases = await openBases(view.folder, needs);
  const changes = createChanges({
    ...needs,
    files,
    intentsDirectory: join(view.folder, 'intents'),
    lockedFolder: view.folder,
    async record(changeSet, origin) {
      await noteBases(changeSet, { bases, files, objects });
      await needs.record(changeSet, origin);
    },
  });
  await changes.recover(signal);
  const work: WorkApartNeeds = { ...needs, bases };
  const strays = { view, bases, startedAtMs: needs.startedAtMs };
  const review = async (reviewSignal: AbortSignal): Promise<ReviewedWork> => {
    // Without this, changes made by others meanwhile would look like work of the session.
    await view.refresh(reviewSignal);
    await noteStrays(strays, reviewSignal);
    return reviewWork(work, reviewSignal);
  };
  async function empty(emptySignal: AbortSignal): Promise<void> {
    await view.clear(emptySignal);
    await bases.forget();
  }
  return {
    changes,
    review,
    async keep(kept, keepSignal) {
      const result = await keepWork(work, kept, await review(keepSignal), keepSignal);
      if (kept.isLast) return result;
      const left = await review(keepSignal);
      // The workspace holds all of it now, so nothing need stay.
      if (left.review.items.length + left.refused.length === 0) await empty(keepSignal);
      return result;
    },
    async drop(paths, dropSignal) {
      if (paths !== 'all') return dropWork(work, { paths, changes }, await review(dropSignal), dropSignal);
      await empty(dropSignal);
    },
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
