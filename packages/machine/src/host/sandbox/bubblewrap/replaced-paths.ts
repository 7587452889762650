import { lstatSync } from 'node:fs';
import { orNull } from '../../../base/errors.js';

/**
 * Remembers what stands at some places, and tells later where something else does. A mount holds what it stands on, not
 * the name: whoever removes or replaces that from outside takes the mount away with it.
 */
export function watchForReplaced(paths: readonly string[]): () => string[] {
  const before = new Map(paths.map((path) => [path, identityOf(path)]));
  return () =>
    paths.filter((path) => {
      const now = identityOf(path);
      return now !== null && now !== before.get(path);
    });
}

/** With the time of its making: the number of what was removed is soon another's. */
function identityOf(path: string): string | null {
  const found = orNull(() => lstatSync(path, { bigint: true }));
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}
