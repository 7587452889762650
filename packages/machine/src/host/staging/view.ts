import { relative } from 'node:path';
import { messageOf, ToolError } from '../../base/errors.js';
import { runOwnProgram } from '../processes/launch/child-process.js';
import { isInside } from '../workspace.js';
import { type Overlay, type OverlayBelow, type OverlayRoot, prepareOverlay } from './overlay.js';

/**
 * A lasting copy-on-write view of the roots. Its changes lie in its folder and outlive the process; the mounts live as long as
 * our descriptors on them, so nothing is left mounted after a crash.
 */
export interface View extends OverlayBelow {
  readonly roots: readonly OverlayRoot[];
  readonly way: number;
  /** True when a folder that was there before can be renamed. */
  readonly followsRenames: boolean;
  /** The moment of the latest mount. */
  readonly mountedAtMs: number;
  /** Mounts again, so that what others did to the roots meanwhile is seen. */
  mountAfresh(signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface ViewOptions {
  /** Holds the changes; the same one again continues them. */
  folder: string;
  /** Absolute and real, none inside another. */
  roots: readonly string[];
  way: number;
}

const MOUNT_LIMIT_MS = 20_000;

export async function openView(options: ViewOptions, signal: AbortSignal): Promise<View> {
  let mounted = await mount(options, signal);
  return {
    folder: options.folder,
    way: options.way,
    get roots() {
      return mounted.roots;
    },
    get followsRenames() {
      return mounted.overlay.followsRenames;
    },
    get mountedAtMs() {
      return mounted.atMs;
    },
    at(path) {
      const root = mounted.roots.find(({ lower }) => isInside(path, lower));
      if (!root) return path;
      return path === root.lower ? root.merged : `${root.merged}/${relative(root.lower, path)}`;
    },
    async mountAfresh(again) {
      const before = mounted;
      mounted = await mount(options, again);
      before.overlay.release();
    },
    close: () => mounted.overlay.release(),
  };
}

interface Mounted {
  overlay: Overlay;
  roots: OverlayRoot[];
  atMs: number;
}

/** The program that mounts ends at once; the descriptors that were opened meanwhile hold the mounts. */
async function mount(options: ViewOptions, signal: AbortSignal): Promise<Mounted> {
  const overlay = prepareOverlay({ ...options, lasting: true });
  const { program, args } = overlay.around(
    { program: '/bin/sh', args: ['-c', ':'] },
    { directory: '/', confined: true },
  );
  const atMs = Date.now();
  const ended = runOwnProgram(program, args, { deadlineMs: MOUNT_LIMIT_MS, signal });
  const roots = await overlay.hold(ended, signal);
  const { failure, stderr } = await ended;
  if (roots !== null) return { overlay, roots, atMs };
  overlay.release();
  throw new ToolError('failed', overlay.problem(stderr || messageOf(failure)));
}
