import { lstatSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';

/**
 * Remembers the files at some paths; the returned function lists paths that hold something else now. A mount holds a
 * file, not its name: whoever replaces the file from outside takes the mount away with it.
 */
export function watchForReplaced(paths: readonly string[]): () => string[] {
  const before = new Map(paths.map((path) => [path, identityOf(path)]));
  return () =>
    paths.filter((path) => {
      const now = identityOf(path);
      return now !== null && now !== before.get(path);
    });
}

/** Includes the creation time: the inode number of a removed file is soon reused. */
function identityOf(path: string): string | null {
  const found = orNull(() => lstatSync(path, { bigint: true }));
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}
