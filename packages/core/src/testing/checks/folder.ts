import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

/** A folder to be compared before and after a call. */
export interface ComparedFolder {
  path: string;
  /** `content` reads every file, for a folder made for the check; `stamps` are enough in a workspace. */
  by: 'content' | 'stamps';
}

/** A folder that is only named was made for the check. */
export function comparedFolder(given: string | ComparedFolder | undefined): ComparedFolder | undefined {
  return typeof given === 'string' ? { path: given, by: 'content' } : given;
}

/** A mark of everything in the folder, by absolute path. */
export type FolderState = ReadonlyMap<string, string>;

const MOST_ENTRIES = 20_000;
const PASSED_OVER = new Set(['.git', 'node_modules']);

/** Null when there is no folder, or when it holds too much to be compared. */
export function readFolder(folder: ComparedFolder | undefined): FolderState | null {
  if (!folder) return null;
  const state = new Map<string, string>();
  const pending = [folder.path];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const name of namesIn(directory)) {
      if (folder.by === 'stamps' && PASSED_OVER.has(name)) continue;
      const path = join(directory, name);
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      state.set(path, markOf(path, stat, folder.by));
      if (state.size > MOST_ENTRIES) return null;
      if (stat.isDirectory()) pending.push(path);
    }
  }
  return state;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function markOf(path: string, stat: BigIntStats, by: ComparedFolder['by']): string {
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (!stat.isFile()) return `${stat.mode}`;
  if (by === 'stamps') return `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  return `${stat.mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}

/** Paths that came, went or changed; none where there is nothing to compare. */
export function changedPaths(before: FolderState | null, after: FolderState | null): string[] {
  if (!before || !after) return [];
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path)).sort();
}

/** The changed paths that no effect speaks of. Unknown effects, commands and servers can change everything. */
export function undeclaredPaths(
  changed: readonly string[],
  effects: readonly Effect[] | undefined,
): string[] {
  if (!effects?.every(({ kind }) => kind !== 'execute' && kind !== 'mcp' && kind !== 'outside')) return [];
  const declared = effects.flatMap((effect) =>
    effect.kind === 'write' || effect.kind === 'delete' || effect.kind === 'memory' ? [effect.path] : [],
  );
  return changed.filter((path) => !declared.some((other) => isInside(path, other) || isInside(other, path)));
}
