import { lstatSync } from 'node:fs';

/**
 * Remembers what stands at some places, and tells later where something else does. A mount holds what it stands on, not
 * the name: whoever removes or replaces that from outside takes the mount away with it.
 */
export function rememberPlaces(paths: readonly string[]): () => string[] {
  const before = new Map(paths.map((path) => [path, identityOf(path)]));
  return () =>
    paths.filter((path) => {
      const now = identityOf(path);
      return now !== null && now !== before.get(path);
    });
}

/** With the time of its making: the number of what was removed is soon another's. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino, birthtimeNs } = lstatSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return null;
  }
}
