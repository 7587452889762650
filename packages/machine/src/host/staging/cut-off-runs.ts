import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isJsonObject } from '../../base/json.js';
import { isInside } from '../workspace.js';
import { bytePath } from './byte-paths.js';
import { entryAt, type TreeEntry } from './tree-entry.js';

/** Stands beside the copies that were made before a command ran in the workspace itself. */
const LIST = 'copies.json';
/** A workspace that nobody comes back to. */
const FORGOTTEN_MS = 30 * 24 * 60 * 60 * 1000;

interface Copies {
  v: 1;
  roots: string[];
  /** Path, name of the copy, size and time of the last change. */
  files: [path: string, copy: string, size: number, mtimeNs: string][];
}

/** For whoever comes after us, should we be killed while the command runs. */
export function listCopies(
  folder: string,
  roots: readonly string[],
  copied: ReadonlyMap<string, TreeEntry>,
): void {
  const files = [...copied].map(([path, { at, size, mtimeNs }]): Copies['files'][number] => [
    path,
    basename(at.toString()),
    size,
    String(mtimeNs),
  ]);
  writeFileSync(join(folder, LIST), JSON.stringify({ v: 1, roots: [...roots], files } satisfies Copies), {
    mode: 0o600,
  });
}

/**
 * Copies of files that are gone or different since, put where the user finds them by their names: nobody knows any more
 * whether it was the command or the user who changed them. Null for the copies of another workspace.
 */
export function salvageCopies(
  folder: string,
  { roots, target, now }: { roots: readonly string[]; target: string; now: number },
): string[] | null {
  const copies = copiesIn(folder);
  if (copies === null) return [];
  if (copies.roots.join('\0') !== roots.join('\0'))
    return now - statSync(folder).mtimeMs > FORGOTTEN_MS ? [] : null;
  const saved: string[] = [];
  for (const [path, copy, size, mtimeNs] of copies.files) {
    const present = entryAt(bytePath(path));
    if (present && present.size === size && String(present.mtimeNs) === mtimeNs) continue;
    const root = roots.findLast((each) => isInside(path, each));
    if (root === undefined || !existsSync(join(folder, copy))) continue;
    const place = join(target, relative(root, path));
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    copyFileSync(join(folder, copy), place);
    saved.push(path);
  }
  return saved;
}

function copiesIn(folder: string): Copies | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, LIST), 'utf8'));
    return isJsonObject(value) && Array.isArray(value['files']) && Array.isArray(value['roots'])
      ? (value as unknown as Copies)
      : null;
  } catch {
    return null;
  }
}
