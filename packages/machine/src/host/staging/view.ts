import { chmodSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isNodeError, messageOf, ToolError } from '../../base/errors.js';
import { removeTree } from '../leases/owned-folder.js';
import { runOwnProgram } from '../processes/launch/child-process.js';
import type { Launch, Processes, StandIn } from '../processes/processes.js';
import { isInside } from '../workspace.js';
import {
  holdsLayers,
  type Overlay,
  type OverlayBelow,
  type OverlayRoot,
  prepareOverlay,
  removeLayers,
} from './overlay.js';
import { createSearchMounts } from './search-mounts.js';

/**
 * A lasting copy-on-write view of the roots. Its changes lie in its folder and outlive the process; the mounts live as long as
 * our descriptors on them and the programs inside, so nothing is left mounted after a crash.
 */
export interface View extends OverlayBelow {
  readonly roots: readonly OverlayRoot[];
  /** The index of the way to its overlays; `copy` where it is a plain copy. */
  readonly way: number | 'copy';
  /** For a plain copy: the folders that a sandbox must show in place of the roots. */
  readonly standIns?: readonly StandIn[];
  /** True when a folder that was there before can be renamed. */
  readonly followsRenames: boolean;
  /** The launch that starts another one inside. */
  enter(launch: Launch): Launch;
  /** Forgets what the kernel remembers of the roots, so that what others did to them meanwhile is seen. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Takes all changes away, so that the roots are seen as they are. */
  clear(signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface ViewOptions {
  /** Holds the changes; the same one again continues them. */
  folder: string;
  /** Absolute and real, none inside another. */
  roots: readonly string[];
  way: number;
  /** Starts what mounts, outside of every view: it stops until we hold the mounts, and must not stay there when we are killed. */
  processes: Pick<Processes, 'run'>;
}

const MOUNT_LIMIT_MS = 20_000;

export async function openView(options: ViewOptions, signal: AbortSignal): Promise<View> {
  const { overlay, roots } = await mount(options, signal);
  const search = createSearchMounts({ ...options, overlay, roots, folder: join(options.folder, 'search') });
  async function refresh(refreshSignal: AbortSignal): Promise<void> {
    search.beforeRefresh();
    for (const { lower } of roots) await remount(overlay, lower, refreshSignal);
  }
  return {
    folder: options.folder,
    way: options.way,
    roots,
    followsRenames: overlay.followsRenames,
    at(path) {
      const root = roots.find(({ lower }) => isInside(path, lower));
      if (!root) return path;
      return path === root.lower ? root.merged : `${root.merged}/${relative(root.lower, path)}`;
    },
    enter(launch) {
      const quickly = launch.onlyReads ? search.enter(launch) : null;
      if (quickly) return quickly;
      const { program, args, directory, environment, isSandbox = false } = launch;
      const inside = overlay.enter({ program, args }, { directory, confined: isSandbox });
      return { ...inside, directory: '/', environment };
    },
    refresh,
    async clear(clearSignal) {
      const cleared = join(options.folder, 'cleared');
      await removeTree(cleared);
      mkdirSync(cleared);
      const entries = roots.flatMap(({ upper }) => readdirSync(upper).map((name) => join(upper, name)));
      // Whole entries at once: a kill in between must not leave half a folder, which would look like deletions.
      for (const [index, entry] of entries.entries()) moveOut(entry, join(cleared, String(index)));
      await refresh(clearSignal);
      await removeTree(cleared);
    },
    close() {
      search.close();
      overlay.release();
    },
  };
}

function moveOut(entry: string, to: string): void {
  try {
    renameSync(entry, to);
  } catch (error) {
    if (!isNodeError(error, 'EACCES', 'EPERM')) throw error;
    // A folder that nobody may write can't be moved.
    chmodSync(entry, 0o700);
    renameSync(entry, to);
  }
}

/** The program that mounts ends at once; the descriptors that were opened meanwhile hold the mounts. */
async function mount(
  options: ViewOptions,
  signal: AbortSignal,
): Promise<{ overlay: Overlay; roots: OverlayRoot[] }> {
  const isNew = !holdsLayers(options.folder);
  const overlay = prepareOverlay({ ...options, lasting: true });
  const command = overlay.around(
    { program: '/bin/sh', args: ['-c', ':'] },
    { directory: '/', confined: true },
  );
  try {
    const ended = options.processes.run(
      { ...command, directory: '/', environment: {} },
      { signal, timeoutMs: MOUNT_LIMIT_MS },
    );
    const roots = await overlay.hold(ended, signal);
    const { stderr } = await ended;
    if (roots !== null) return { overlay, roots };
    throw new ToolError('failed', overlay.problem(stderr.head));
  } catch (error) {
    overlay.release();
    if (isNew) await removeLayers(options.folder, options.roots.length);
    throw error;
  }
}

/** The kernel drops the names it has remembered for a file system that is mounted again in place. */
async function remount(overlay: Overlay, root: string, signal: AbortSignal): Promise<void> {
  const { program, args } = overlay.enter(
    { program: 'mount', args: ['-n', '-o', 'remount', root] },
    { directory: '/', confined: true },
  );
  const { failure, stderr } = await runOwnProgram(program, args, { deadlineMs: MOUNT_LIMIT_MS, signal });
  signal.throwIfAborted();
  if (failure !== null)
    throw new ToolError(
      'failed',
      `The view of ${root} could not be renewed: ${stderr.trim() || messageOf(failure)}`,
    );
}
