import { messageOf } from '../../base/errors.js';
import { mountsBelow } from '../../host/staging/mounts.js';
import { mountOverlay, OverlayError } from '../../host/staging/overlay.js';
import { spaceAt } from '../../host/staging/space.js';
import { makeStageFolder } from '../../host/staging/stage-folder.js';
import { afterLinks, isInside, type Workspace } from '../../host/workspace.js';
import type { StagedRunsParts, Staging } from './staged-run.js';

/** The folders an overlay is laid over: writable, and none inside another. */
export function stagedRoots({ roots }: Pick<Workspace, 'roots'>): string[] {
  const writable = roots.filter(({ access }) => access === 'write').map(({ path }) => path);
  return writable.filter((path) => !writable.some((other) => other !== path && isInside(path, other)));
}

/** What can be told without trying, and may be another the next time. */
export function obstacle(roots: readonly string[], statePath: string): string | null {
  const state = afterLinks(statePath);
  for (const root of roots) {
    if (root === '/') return 'the workspace is the whole file system';
    if (isInside(state, root))
      return `the state folder ${state} lies inside ${root}; set TOOLWRIGHT_HOME to a folder elsewhere`;
    const [mount, ...more] = mountsBelow(root);
    if (mount !== undefined) {
      return `${mount}${more.length > 0 ? ` and ${more.length} more` : ''} inside ${root} is a file system of its own, which an overlay does not reach`;
    }
  }
  return null;
}

/** Lays an overlay over the roots and takes it away again. */
export async function tryOverlay(
  parts: StagedRunsParts,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<Staging> {
  try {
    const folder = await makeStageFolder(await parts.state.make('stage', 'runs'), parts.ids.next());
    try {
      const overlay = await mountOverlay({ folder: folder.path, roots, signal });
      await overlay.release();
      return { possible: true };
    } finally {
      await folder.remove();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OverlayError) return { possible: false, why: sentence(error.message) };
    return { possible: false, why: sentence(`the state folder can't hold it (${messageOf(error)})`) };
  }
}

export function sentence(obstacle: string): string {
  return `Commands can't run apart from the workspace here: ${obstacle}.`;
}

/** Why there is not enough room to begin, or null. */
export function roomProblem(stagePath: string): string | null {
  const { freeBytes, reserveBytes } = spaceAt(stagePath);
  if (freeBytes >= reserveBytes) return null;
  const megabytes = (bytes: number) => Math.floor(bytes / 1024 / 1024);
  return `the disk of ${stagePath} is nearly full (${megabytes(freeBytes)} MB free, ${megabytes(reserveBytes)} MB are left alone); make room there`;
}
