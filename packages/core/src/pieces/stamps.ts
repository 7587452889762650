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

/** Changes with the program: another version may read the same files in another way. */
export function stampOfProgram(): string {
  const path = fileURLToPath(import.meta.url);
  return `${path} ${stampOf(path).stamp}`;
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
