import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';

/** The state of files and folders by their paths. */
export type Stamps = Record<string, string>;

/** A folder that was changed this lately may change once more within the same tick of its clock. */
const SETTLED_MS = 2_000;

/** Null where one of them was changed a moment ago. */
export function stampsOf(paths: readonly string[], now: number): Stamps | null {
  const stamps = paths.map((path) => [path, stampOf(path)] as const);
  if (stamps.some(([, { changedMs }]) => now - changedMs < SETTLED_MS)) return null;
  return Object.fromEntries(stamps.map(([path, { stamp }]) => [path, stamp]));
}

/**
 * Changes with the program: another version may read the same files in another way. The folder of the program tells, because the
 * build joins modules, so that the file a module is named after need not be there.
 */
export function stampOfProgram(module = import.meta.url): string {
  const folder = dirname(fileURLToPath(module));
  return `${folder} ${stampOf(folder).stamp}`;
}

export function isSame(stamps: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(stamps).every(([path, stamp]) => stampOf(path).stamp === stamp);
}

/** Changes with every entry that is added, removed or renamed in a folder, and with every write to a file. */
function stampOf(path: string): { stamp: string; changedMs: number } {
  const found = lookAtSync(path);
  if (!found) return { stamp: 'none', changedMs: 0 };
  const { identity, size, changedMs } = found;
  return { stamp: `${identity} ${size} ${changedMs}`, changedMs };
}
