import { isToolError } from '@toolwright/machine/base/errors.js';
import type { Apart, ApartNeeds } from '@toolwright/machine/changes/apart/open-apart.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Files } from '@toolwright/machine/host/files/files.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Jobs } from '@toolwright/machine/host/jobs/jobs.js';
import type { BeforeImages } from '@toolwright/machine/host/objects/before-images.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { View } from '@toolwright/machine/host/staging/view.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { Permission } from '../permission/permission.js';

/** The view of a session, once there is one: file door, commands and sandbox ask for it here. */
export interface Whereabouts {
  view: View | null;
  /** The view is that of one call, and the user is asked about all of it when the call ends. */
  gathers: boolean;
}

export interface WorkNeeds {
  whereabouts: Whereabouts;
  host: Host;
  state: State;
  objects: BeforeImages;
  permission: Permission;
  /** The doors to the workspace itself. */
  real: { files: Files; changes: Changes };
  commands(): {
    outside: Pick<Processes, 'run'>;
    shell: { staged: Pick<StagedRuns, 'wayToOverlay'>; jobs: Pick<Jobs, 'list'> };
  };
}

interface ViewNeeds extends Pick<WorkNeeds, 'commands' | 'state'> {
  /** Called before a plain copy is made; the sentence gives the reason and the cost. */
  say?: ((sentence: string) => void) | undefined;
  roots: readonly string[];
}

/** Work goes on as it began. New work begins on an overlay, or on a plain copy where there can be none; the user is told first. */
export async function openViewIn(
  folder: string,
  { commands, state, roots, say }: ViewNeeds,
  signal: AbortSignal,
): Promise<View> {
  const { isCopyView } = await import('@toolwright/machine/host/staging/copy.js');
  if (isCopyView(folder)) return openCopy(folder, roots, signal);
  const { holdsLayers } = await import('@toolwright/machine/host/staging/overlay.js');
  const isNew = !holdsLayers(folder);
  try {
    return await openOverlay(folder, { commands, roots }, signal);
  } catch (error) {
    if (!isToolError(error) || !isNew) throw error;
    const { planCopy } = await import('@toolwright/machine/changes/staged-run/possible.js');
    say?.(await planCopy({ state, roots, why: error.message }, signal));
    return openCopy(folder, roots, signal);
  }
}

/** The first mount shows whether an overlay can be used here. */
async function openOverlay(
  folder: string,
  { commands, roots }: Pick<ViewNeeds, 'commands' | 'roots'>,
  signal: AbortSignal,
): Promise<View> {
  const { openView } = await import('@toolwright/machine/host/staging/view.js');
  let opened: View | undefined;
  const { outside: processes, shell } = commands();
  const way = await shell.staged.wayToOverlay(signal, async (tried) => {
    opened = await openView({ folder, roots, processes, way: tried }, signal);
  });
  return opened ?? openView({ folder, roots, processes, way }, signal);
}

async function openCopy(folder: string, roots: readonly string[], signal: AbortSignal): Promise<View> {
  const { openCopyView } = await import('@toolwright/machine/host/staging/copy.js');
  return openCopyView({ folder, roots }, signal);
}

/** Work in a view: the doors into it, and what is journalled of it. */
export interface ViewedWork
  extends Pick<
    ApartNeeds,
    'view' | 'viewFiles' | 'workspace' | 'startedAtMs' | 'origin' | 'record' | 'lasting'
  > {
  /** Unless told, locks are taken in the state folder. */
  withLock?: ApartNeeds['withLock'];
}

export async function openWork(
  work: ViewedWork,
  { host, state, objects, permission, real }: WorkNeeds,
  signal: AbortSignal,
): Promise<Apart> {
  const { openApart } = await import('@toolwright/machine/changes/apart/open-apart.js');
  const { heldPlaceholders } = await import('@toolwright/machine/host/sandbox/bubblewrap/placeholders.js');
  return openApart(
    {
      ...host,
      ...work,
      files: real.files,
      changes: real.changes,
      objects,
      withLock: work.withLock ?? state.withLock,
      guard: permission,
      placeholders: () => heldPlaceholders(state, work.view.folder),
      refusal: permission.refusal,
    },
    signal,
  );
}
