import { formatBytes, plural } from '../../base/amounts.js';
import { isToolError, messageOf, ToolError } from '../../base/errors.js';
import { makeOwnedFolder, type OwnedFolder } from '../../host/leases/owned-folder.js';
import { mountsBelow } from '../../host/platform/directory-access.js';
import type { Ended } from '../../host/processes/processes.js';
import type { CopyCost } from '../../host/staging/copy-trees.js';
import { countOverlayWays, prepareOverlay } from '../../host/staging/overlay.js';
import { spaceAt } from '../../host/staging/space.js';
import { inStateFolder } from '../../host/state/state-folder.js';
import { afterLinks, isInside, type Workspace } from '../../host/workspace.js';
import type { StagedRunsNeeds } from './staged-run.js';

/** The folders an overlay is laid over: writable, and none inside another. */
export function stagedRoots({ roots }: Pick<Workspace, 'roots'>): string[] {
  const writable = roots.filter(({ access }) => access === 'write').map(({ path }) => path);
  return writable.filter((path) => !writable.some((other) => other !== path && isInside(path, other)));
}

/** Obstacles that no copy can get around. */
function obstacleToAny(roots: readonly string[], statePath: string): string | null {
  const state = afterLinks(statePath);
  for (const root of roots) {
    if (root === '/') return 'the workspace is the whole file system';
    if (isInside(state, root))
      return `the state folder ${state} lies inside ${root}; set TOOLWRIGHT_HOME to a folder elsewhere`;
  }
  return null;
}

/** Obstacles that show without a trial, and may differ the next time. */
export function obstacle(roots: readonly string[], statePath: string): string | null {
  const found = obstacleToAny(roots, statePath);
  if (found !== null) return found;
  for (const root of roots) {
    const [mount, ...more] = mountsBelow(root);
    if (mount !== undefined) {
      return `${mount}${more.length > 0 ? ` and ${more.length} more` : ''} inside ${root} is a file system of its own, which an overlay does not reach`;
    }
  }
  return null;
}

/** The way to an overlay that works here. `mayPass`: the obstacle is no property of this machine, so it is worth another try. */
export type Tried = { possible: true; way: number } | { possible: false; why: string; mayPass: boolean };

/** Uses an overlay by one of the ways known here; throws a `ToolError` where that way does not work. */
export type MountOverlay = (way: number) => Promise<void>;

/** Goes through the ways that are known here until `mount` works by one. */
export async function tryOverlay(mount: MountOverlay, signal: AbortSignal): Promise<Tried> {
  let [why, mayPass] = ['there are no overlays on this system', false];
  const ways = countOverlayWays();
  for (let way = 0; way < ways; way++) {
    signal.throwIfAborted();
    try {
      await mount(way);
      return { possible: true, way };
    } catch (error) {
      signal.throwIfAborted();
      [why, mayPass] = [messageOf(error), !isToolError(error)];
    }
  }
  return { possible: false, why: sentence(why), mayPass };
}

/** Runs a command that does nothing over the roots. */
export function trialOn(needs: StagedRunsNeeds, roots: readonly string[], signal: AbortSignal): MountOverlay {
  return async (way) => {
    const stage = await openStage(needs);
    try {
      await mountOnce(needs, { stage, roots, way, signal });
    } finally {
      await stage.remove();
    }
  };
}

/** A folder for one run; what keeps it from being made is told as trouble with the state folder. */
export function openStage({ state, ids }: Pick<StagedRunsNeeds, 'state' | 'ids'>): Promise<OwnedFolder> {
  return inStateFolder(state.path, async () =>
    makeOwnedFolder(await state.make('stage', 'runs'), ids.next()),
  );
}

interface Trial {
  stage: OwnedFolder;
  roots: readonly string[];
  way: number;
  signal: AbortSignal;
}

async function mountOnce(
  { processes }: StagedRunsNeeds,
  { stage, roots, way, signal }: Trial,
): Promise<void> {
  const overlay = prepareOverlay({ folder: stage.path, roots, way });
  try {
    const command = overlay.around(
      { program: '/bin/sh', args: ['-c', ':'] },
      { directory: '/', confined: false },
    );
    const ended = processes.run(
      { ...command, directory: '/', environment: {} },
      { signal, timeoutMs: TRIAL_LIMIT_MS },
    );
    const held = await overlay.hold(ended, signal);
    const printed = printedBy(await ended);
    if (held === null) throw new ToolError('failed', overlay.problem(printed));
  } finally {
    overlay.release();
  }
}

/**
 * A sentence about the plain copy that takes the place of an overlay: why, and what it costs. Throws a `ToolError` where no
 * copy can be made either. `why` is the sentence about the overlay.
 */
export async function planCopy(
  { state, roots, why }: { state: StagedRunsNeeds['state']; roots: readonly string[]; why: string },
  signal: AbortSignal,
): Promise<string> {
  const reason = why.replace(OPENING, '').replace(/\.$/, '');
  // Elsewhere files are reached by their own paths only, so no tool would find the copy.
  if (process.platform !== 'linux' || obstacleToAny(roots, state.path) !== null)
    throw new ToolError('failed', why);
  const { costOfCopy } = await import('../../host/staging/copy-trees.js');
  try {
    const cost = await costOfCopy(roots, await state.make('stage'), signal);
    const files = `${plural(cost.entries, 'file')}, ${formatBytes(cost.bytes)}`;
    const shares = cost.sharesBlocks ? ', which take almost no room because the file system shares them' : '';
    return `No overlay can be used here (${reason}), so a plain copy of the workspace is made: ${files}${shares}, about ${plural(secondsFor(cost), 'second')}.`;
  } catch (error) {
    if (!isToolError(error)) throw error;
    throw new ToolError(error.code, sentence(`${reason}, and ${error.message}`), { cause: error });
  }
}

/** Estimates the seconds on a slow disk. */
function secondsFor({ entries, bytes, sharesBlocks }: CopyCost): number {
  return Math.max(1, Math.ceil(entries / 4_000 + (sharesBlocks ? 0 : bytes / 200_000_000)));
}

const TRIAL_LIMIT_MS = 30_000;

export function printedBy({ stdout, stderr }: Ended): string {
  return `${stderr.head}\n${stdout.head}`;
}

const OPENING = "Commands can't run on a copy of the workspace here: ";

export function sentence(obstacle: string): string {
  return `${OPENING}${obstacle.replace(/\.$/, '')}.`;
}

/** Why there is not enough room to begin, or null. */
export function roomProblem(stagePath: string): string | null {
  const { freeBytes, reserveBytes } = spaceAt(stagePath);
  if (freeBytes >= reserveBytes) return null;
  const megabytes = (bytes: number) => Math.floor(bytes / 1024 / 1024);
  return `the disk of ${stagePath} is nearly full (${megabytes(freeBytes)} MB free, ${megabytes(reserveBytes)} MB are left alone); make room there`;
}
