import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SettingsError } from '@toolwright/machine/base/errors.js';
import type { Recording } from './recording.js';

/** Writes the packed tree of a recording into an empty folder. Paths that would lead out of it are refused. */
export async function unpackTree({ head, contentOf }: Recording, folder: string): Promise<void> {
  for (const { path, hash, mode, modifiedMs } of head.tree?.files ?? []) {
    if (!isPlainPath(path))
      throw new SettingsError(`The recording holds a file with an impossible path: ${path}.`);
    const bytes = await contentOf(hash);
    if (!bytes) throw new SettingsError(`The recording does not hold the content of ${path}.`);
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes, { flag: 'wx', mode: 0o600 });
    chmodSync(target, (Number(mode) & 0o111) | 0o644);
    const seconds = Number(modifiedMs) / 1_000;
    if (Number.isFinite(seconds)) utimesSync(target, seconds, seconds);
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
