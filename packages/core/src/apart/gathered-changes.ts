import { join } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { Apart } from '@toolwright/machine/changes/apart/open-apart.js';
import type { KeptWork, ReviewedWork } from '@toolwright/machine/changes/apart/work-apart.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import {
  openStage,
  roomProblem,
  sentence,
  stagedRoots,
} from '@toolwright/machine/changes/staged-run/possible.js';
import { createFiles } from '@toolwright/machine/host/files/create-files.js';
import { createBeforeImages } from '@toolwright/machine/host/objects/before-images.js';
import { createPlace } from '@toolwright/machine/host/plain-files/place.js';
import type { View } from '@toolwright/machine/host/staging/view.js';
import { openViewIn, openWork, type ViewedWork, type WorkNeeds } from './work-in-view.js';

/** The changes of several calls that count together: when the last of them ended well. */
export interface GatheredChanges {
  /**
   * The changes that wait to be kept or dropped; the session goes back to the workspace. Null in a session apart, where they wait
   * with the other changes of the session.
   */
  review(signal: AbortSignal): Promise<ReviewedWork | null>;
  /** Keeps all of a review as one change set of the workspace, or nothing where some of it can't be kept. */
  keep(digest: string, signal: AbortSignal): Promise<KeptWork>;
  /** Gives a sentence for each change that could not be taken back. A second time it does nothing. */
  drop(): Promise<string[]>;
}

/** Changes that are made on a view of the workspace until the user has seen them together. */
export interface ChangesInView extends GatheredChanges {
  /** The changes of the view. */
  readonly changes: Changes;
}

/** Moves the session to a view of its own, where files are changed and commands run. `say` is called where it must be a plain copy. */
export async function gatherChanges(
  needs: WorkNeeds,
  say: (sentence: string) => void,
  signal: AbortSignal,
): Promise<ChangesInView> {
  const { host, whereabouts } = needs;
  const roots = stagedRoots(host.workspace);
  const stage = await openStage({ state: needs.state, ids: host.ids });
  let view: View | undefined;
  async function drop(): Promise<string[]> {
    if (whereabouts.view === view) whereabouts.view = null;
    whereabouts.gathers = false;
    view?.close();
    view = undefined;
    await stage.remove();
    return [];
  }
  try {
    const problem = roomProblem(stage.path);
    if (problem !== null) throw new ToolError('failed', sentence(problem));
    view = await openViewIn(stage.path, { ...needs, roots, say }, signal);
    const apart = await openGatheredWork(view, needs, signal);
    whereabouts.view = view;
    whereabouts.gathers = true;
    return gatheredIn(apart, { whereabouts, drop });
  } catch (error) {
    await drop();
    throw error;
  }
}

function gatheredIn(
  apart: Apart,
  { whereabouts, drop }: Pick<WorkNeeds, 'whereabouts'> & Pick<GatheredChanges, 'drop'>,
): ChangesInView {
  return {
    changes: apart.changes,
    async review(signal) {
      whereabouts.view = null;
      whereabouts.gathers = false;
      return apart.review(signal);
    },
    keep: (digest, signal) => apart.keep({ digest, choice: 'all', allOrNothing: true, isLast: true }, signal),
    drop,
  };
}

/**
 * Opens work whose doors lead into the view also after the session has left it. Nothing of it is journalled before it is kept, and
 * nothing is flushed: after a power cut the view is thrown away, and the commit that keeps it flushes what it writes itself. No
 * other process knows of the view, so that nothing of its commits and locks is written down.
 * Earlier versions lie in the view's own folder, because others count on those of the state folder to last.
 */
function openGatheredWork(view: View, needs: WorkNeeds, signal: AbortSignal): Promise<Apart> {
  const { host, permission, state } = needs;
  const lasting = false;
  const workspace = { ...host.workspace, place: createPlace(() => view) };
  const viewFiles = createFiles(workspace, { ids: host.ids, policy: permission.refusal, lasting });
  const objects = createBeforeImages({
    ...host,
    lasting,
    withLock: state.withLock,
    directory: join(view.folder, 'objects'),
    owner: host.ids.next(),
    quotaBytes: Number.POSITIVE_INFINITY,
  });
  const startedAtMs = host.clock.now();
  const work: ViewedWork = {
    view,
    viewFiles,
    workspace,
    startedAtMs,
    lasting,
    withLock: (name, fn, stopped) => state.withLock(name, fn, stopped, { onlyHere: true }),
    record: async () => undefined,
  };
  return openWork(work, { ...needs, objects }, signal);
}
