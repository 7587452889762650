import { SettingsError } from '@toolwright/machine/base/errors.js';
import { makeShortLivedFolder, removeTree } from '@toolwright/machine/host/leases/owned-folder.js';
import { here } from '@toolwright/machine/host/plain-files/place.js';
import { layOutFile } from '@toolwright/machine/host/trees/lay-out-file.js';
import type { Recording } from './recording.js';

/** Lays the packed tree of a recording out in a folder that is there for the time of the work only. */
export async function withUnpackedTree<Result>(
  recording: Recording,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = here.afterLinks(makeShortLivedFolder());
  try {
    await unpackTree(recording, folder);
    return await work(folder);
  } finally {
    await removeTree(folder);
  }
}

/** Writes the packed tree of a recording into an empty folder. Paths that would lead out of it are refused. */
async function unpackTree({ head, contentOf }: Recording, folder: string): Promise<void> {
  for (const { path, hash, mode, modifiedMs } of head.tree?.files ?? []) {
    if (!isPlainPath(path))
      throw new SettingsError(`The recording holds a file with an impossible path: ${path}.`);
    const bytes = await contentOf(hash);
    if (!bytes) throw new SettingsError(`The recording does not hold the content of ${path}.`);
    layOutFile(folder, { path, bytes, mode: Number(mode), modifiedMs: Number(modifiedMs) });
  }
}

/** Relative, below the folder, and nothing of git, whose files name programs. */
function isPlainPath(path: string): boolean {
  const names = path.split('/');
  return (
    path !== '' &&
    !/[\0\\]/.test(path) &&
    names.every((name) => name !== '' && name !== '.' && name !== '..' && name.toLowerCase() !== '.git')
  );
}
