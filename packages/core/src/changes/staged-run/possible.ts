import { messageOf } from '../../base/errors.js';
import type { Ended } from '../../host/processes/processes.js';
import { mountsBelow } from '../../host/staging/mounts.js';
import type { Overlay } from '../../host/staging/overlay.js';
import { prepareOverlay } from '../../host/staging/prepare-overlay.js';
import { spaceAt } from '../../host/staging/space.js';
import { makeStageFolder } from '../../host/staging/stage-folder.js';
import { afterLinks, isInside, type Workspace } from '../../host/workspace.js';
import type { StagedRunsParts } from './staged-run.js';

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

/** Which way to an overlay works here. */
export type Tried = { possible: true; way: number } | { possible: false; why: string };

/** Runs a command that does nothing over the roots, by each way that is known here until one works. */
export async function tryOverlay(
  parts: StagedRunsParts,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<Tried> {
  let why = 'there are no overlays on this system';
  for (let way = 0; ; way++) {
    const problem = await tryWay(parts, { roots, way, signal });
    if (problem === null) return { possible: true, way };
    if (problem === undefined) return { possible: false, why: sentence(why) };
    why = problem;
  }
}

/** What is in the way; undefined when there is no such way. */
async function tryWay(
  { state, ids, processes }: StagedRunsParts,
  { roots, way, signal }: { roots: readonly string[]; way: number; signal: AbortSignal },
): Promise<string | null | undefined> {
  try {
    const stage = await makeStageFolder(await state.make('stage', 'runs'), ids.next());
    let overlay: Overlay | null = null;
    try {
      overlay = await prepareOverlay({ folder: stage.path, roots, way });
      if (overlay === null) return undefined;
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
      signal.throwIfAborted();
      return held === null ? overlay.problem(printed) : null;
    } finally {
      overlay?.release();
      await stage.remove();
    }
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

const TRIAL_LIMIT_MS = 30_000;

export function printedBy({ stdout, stderr }: Ended): string {
  return `${stderr.head}\n${stdout.head}`;
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
