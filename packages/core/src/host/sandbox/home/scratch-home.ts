import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeStageFolder, sweepStageFolders } from '../../staging/stage-folder.js';
import type { StateFolder } from '../../state/state-folder.js';
import { watchTemporaryNames } from './own-temporary.js';
import { type DroppedWrites, nothingDropped, writtenIn } from './written-in.js';

/** What a program finds as its home: a folder on disk, empty at first, and gone with the program. */
export interface ScratchHome {
  readonly path: string;
  /** What was written there; before `close` nothing is known. */
  dropped(): DroppedWrites;
  /** Looks at what was written and removes it. Never throws. */
  close(): Promise<void>;
}

export interface ScratchPlaces {
  /** Where programs see it. */
  home: string;
  /** What they see as /tmp. */
  temporaryFolder?: string | undefined;
  /** Where something of the host is mounted: what stands there is not the program's. */
  mountPoints(): readonly string[];
}

const FOLDER = ['stage', 'homes'] as const;

export async function openScratchHome(
  state: Pick<StateFolder, 'make'>,
  { home, temporaryFolder, mountPoints }: ScratchPlaces,
): Promise<ScratchHome> {
  const stage = await makeStageFolder(await state.make(...FOLDER), randomUUID());
  const path = join(stage.path, 'home');
  mkdirSync(path, { mode: 0o700 });
  const newInTemporary = temporaryFolder === undefined ? () => [] : watchTemporaryNames(temporaryFolder);
  let found = nothingDropped;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const mounted = mountPoints();
    found = { ...writtenIn(path, { home, except: new Set(mounted) }), temporary: newInTemporary(mounted) };
    await stage.remove().catch(() => undefined);
  };
  return { path, dropped: () => found, close: () => (closed ??= close()) };
}

/** Removes what killed processes left. */
export async function sweepScratchHomes(state: Pick<StateFolder, 'pathOf'>): Promise<void> {
  await sweepStageFolders(state.pathOf(...FOLDER), { now: Date.now() });
}
