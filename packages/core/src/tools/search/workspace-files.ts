import { join, resolve } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { steadyNow } from '@toolwright/machine/host/deadline.js';
import { fromOutput, placeArguments, type SearchHost, type SearchPlace } from './place.js';
import { prepareWalk } from './prepare-walk.js';

export interface FileListing {
  signal: AbortSignal;
  /** Paths as the workspace shows them that are told before all others, where they are files. */
  first?: readonly string[];
  /** Called with each path as the workspace shows it, while the walk goes on; false to stop. A folder ends with a slash. */
  onFile(path: string): boolean | undefined;
}

const MAX_BYTES = 128 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** The longest time in milliseconds in which a program that lists its files does nothing else. */
const SLICE_MS = 0.5;

/**
 * Every file of the folders that may be written, less what ignore files name, in no particular order but that the given ones come
 * first, then files and folders at the top of the workspace. The work is done in slices, with one thread, so that a program can
 * answer its user meanwhile.
 */
export async function listWorkspaceFiles(host: SearchHost, listing: FileListing): Promise<void> {
  const { workspace } = host;
  const told = await tellFirst(host, listing);
  let goesOn = true;
  for (const { path: root } of workspace.roots.filter(({ access }) => access === 'write')) {
    if (!goesOn) return;
    const place: SearchPlace = { path: root, root, kind: 'directory', isIgnored: false };
    const show =
      root === workspace.directory
        ? (record: string) => record.slice(2)
        : (record: string) => fromOutput(place, record);
    goesOn = await walkRoot(host, place, {
      ...listing,
      onRecord(record) {
        const path = show(record);
        return told.has(path) || listing.onFile(path) !== false;
      },
    });
  }
}

/** The paths that were told. */
async function tellFirst(
  { workspace, files, ignore }: SearchHost,
  { first = [], onFile, signal }: FileListing,
): Promise<ReadonlySet<string>> {
  const told = new Set<string>();
  const view = ignore.view();
  const kindOf = async (path: string): Promise<unknown> =>
    workspace.rootOf(path) && (await files.stat(path).catch(() => null))?.kind;
  const absolute = first.map((path) => resolve(workspace.directory, path));
  const kinds = await Promise.all(absolute.map(kindOf));
  for (const [index, path] of first.entries()) {
    if (kinds[index] !== 'file' || told.has(path) || view.isIgnored(absolute[index]!, 'file')) continue;
    told.add(path);
    onFile(path);
  }
  const slice = createSlices();
  for (const { name, kind } of await files.list(workspace.directory, signal).catch(() => [])) {
    if (slice.isOver()) await slice.next();
    if (kind !== 'file' && kind !== 'directory') continue;
    const path = kind === 'file' ? name : `${name}/`;
    if (told.has(path) || view.isIgnored(join(workspace.directory, name), kind)) continue;
    told.add(path);
    onFile(path);
  }
  return told;
}

/** False when no more is wanted. */
async function walkRoot(
  host: SearchHost,
  place: SearchPlace,
  { signal, onRecord }: { signal: AbortSignal; onRecord(record: string): boolean },
): Promise<boolean> {
  const walk = await prepareWalk(host, { place, includeIgnored: false }, signal);
  const slice = createSlices();
  let found: string[] = [];
  let goesOn = true;
  const judge = async (): Promise<void> => {
    const records = found;
    found = [];
    for (const [index, record] of records.entries()) {
      if (!goesOn || signal.aborted) return;
      if ((index & 15) === 15 && slice.isOver()) await slice.next();
      if (!walk.isIgnored(record)) goesOn = onRecord(record);
    }
    await slice.next();
  };
  await host.ripgrep.run({
    args: ['--threads=1', ...walk.args, '--files', '--null', ...placeArguments(place)],
    directory: place.root,
    signal,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    separator: 'nul',
    onRecord(record) {
      found.push(record);
      return goesOn;
    },
    afterPiece: judge,
  });
  return goesOn;
}

/** Work in slices: between two of them whatever else the program has to do is done. */
function createSlices(): { isOver(): boolean; next(): Promise<void> } {
  let end = steadyNow() + SLICE_MS;
  return {
    isOver: () => steadyNow() > end,
    async next() {
      await nextRound();
      end = steadyNow() + SLICE_MS;
    },
  };
}
