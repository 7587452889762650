import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnedFolder, sweepOwnedFolders } from '../../leases/owned-folder.js';
import type { StateFolder } from '../../state/state-folder.js';
import type { OutsidePlace } from '../sandbox.js';
import { type SettledFiles, seedFiles } from './seeded-files.js';
import { type DroppedWrites, nothingDropped, watchTemporaryNames, writtenIn } from './written-in.js';

/** The home that a program finds: a folder on disk, empty at first and removed with the program. */
export interface ScratchHome {
  readonly path: string;
  /** Gives the program copies of files that it may change; `close` puts its changes in place. */
  seed(places: readonly OutsidePlace[]): void;
  /** Files the program wrote to this home; known after `close`. */
  dropped(): DroppedWrites;
  /** Lists what was written and removes it. Never throws. */
  close(): Promise<void>;
}

export interface ScratchHomeOptions {
  /** The path at which programs see it. */
  home: string;
  /** The folder that programs see as /tmp. */
  temporaryFolder?: string | undefined;
  /** Paths where something of the host is mounted, which the program did not write. */
  mountPoints(): readonly string[];
}

const FOLDER = ['stage', 'homes'] as const;

export async function openScratchHome(
  state: Pick<StateFolder, 'make'>,
  { home, temporaryFolder, mountPoints }: ScratchHomeOptions,
): Promise<ScratchHome> {
  const stage = await makeOwnedFolder(await state.make(...FOLDER), randomUUID());
  const path = join(stage.path, 'home');
  mkdirSync(path, { mode: 0o700 });
  const newInTemporary = temporaryFolder === undefined ? () => [] : watchTemporaryNames(temporaryFolder);
  let found = nothingDropped;
  let seeds: readonly OutsidePlace[] = [];
  let settle = async (): Promise<SettledFiles> => ({ kept: [], problems: [] });
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const mounted = mountPoints();
    const settled = await settle();
    const except = new Set([...mounted, ...seeds.map((place) => place.path)]);
    found = { ...writtenIn(path, { home, except }), temporary: newInTemporary(mounted), ...settled };
    await stage.remove().catch(() => undefined);
  };
  return {
    path,
    seed(places) {
      seeds = places;
      settle = seedFiles(places, { folder: path, home });
    },
    dropped: () => found,
    close: () => (closed ??= close()),
  };
}

/** Removes homes that killed processes left. */
export async function sweepScratchHomes(state: Pick<StateFolder, 'pathOf'>): Promise<void> {
  await sweepOwnedFolders(state.pathOf(...FOLDER), { now: Date.now() });
}
