import { dirname, join } from 'node:path';
import { isJsonObject } from '../../base/json.js';
import { removeTree } from '../../host/leases/owned-folder.js';
import {
  addLine,
  hashAt,
  type ImagePlace,
  imageName,
  makePrivateFolder,
  placeImage,
  readImage,
  removeFile,
} from '../../host/objects/image-file.js';
import { readJsonLines } from '../../host/state/append-file.js';
import type { EntryState } from '../change-set.js';

/**
 * The state of each entry before it was first changed in a view. The difference between it and the view is the work that was
 * done there, whatever others did to the workspace meanwhile.
 */
export interface Bases {
  /** Undefined where nothing was noted. */
  of(path: string): EntryState | undefined;
  /** Notes a state, unless one is known. `read` gives the bytes of a file. */
  note(path: string, state: EntryState, read: ReadContent): Promise<void>;
  /** Notes a state in place of the known one: the work up to now was kept. */
  renew(path: string, state: EntryState, read: ReadContent): Promise<void>;
  /** The path of a noted file's bytes. */
  pathOf(hash: string): string;
  read(hash: string): Promise<Uint8Array | null>;
  /** Forgets every base, once nothing is changed any more. */
  forget(): Promise<void>;
}

type ReadContent = (hash: string) => Promise<Uint8Array>;

/** `lasting` is false where the folder ends with this process. */
export async function openBases(folder: string, { lasting = true } = {}): Promise<Bases> {
  const list = join(folder, 'bases.jsonl');
  const images = join(folder, 'bases');
  const known = new Map<string, EntryState>();
  for await (const { value } of readJsonLines(list)) {
    if (!isJsonObject(value) || typeof value['path'] !== 'string') continue;
    known.set(value['path'], value['state'] as unknown as EntryState);
  }
  const pathOf = (hash: string): string => imageName(images, hash);
  async function renew(path: string, state: EntryState, read: ReadContent): Promise<void> {
    // The bytes first: a line without them would make every later content a conflict.
    if (state.kind === 'file')
      await saveContent({ path: pathOf(state.hash), hash: state.hash, lasting }, read);
    if (lasting) await addLine(list, JSON.stringify({ path, state }));
    known.set(path, state);
  }
  return {
    of: (path) => known.get(path),
    async note(path, state, read) {
      if (!known.has(path)) await renew(path, state, read);
    },
    renew,
    pathOf,
    read: (hash) => readImage(pathOf(hash)),
    async forget() {
      known.clear();
      await removeFile(list);
      await removeTree(images);
    },
  };
}

/** Counts the images that this process wrote: two of the same content at once need two names. */
let written = 0;

async function saveContent(
  { path, hash, lasting }: Omit<ImagePlace, 'temporary'>,
  read: ReadContent,
): Promise<void> {
  if ((await hashAt(path)) === hash) return;
  await makePrivateFolder(dirname(path));
  const bytes = await read(hash);
  written += 1;
  const temporary = `${path}.${process.pid}-${written}`;
  await removeFile(temporary); // an earlier process of the same number may have been killed while it wrote
  await placeImage({ path, temporary, hash, lasting }, [bytes]);
}
