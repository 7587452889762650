import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bytePath, inside } from './byte-paths.js';
import type { OverlayRoot } from './overlay.js';
import { cloneFile } from './read-entry.js';
import type { TreeEntry } from './tree-entry.js';

/**
 * Places where new contents can be read once the overlay is gone: in its upper layer. What is not there, because its folder
 * was renamed and it came along unchanged, is copied to `folder` while the overlay still shows it.
 */
export async function settleContents(
  contents: ReadonlyMap<string, TreeEntry>,
  { roots, folder }: { roots: readonly OverlayRoot[]; folder: string },
): Promise<Map<string, TreeEntry>> {
  const settled = new Map<string, TreeEntry>();
  for (const [hash, entry] of contents) settled.set(hash, await settle(entry, join(folder, hash), roots));
  return settled;
}

async function settle(entry: TreeEntry, name: string, roots: readonly OverlayRoot[]): Promise<TreeEntry> {
  for (const { merged, upper } of roots) {
    const prefix = bytePath(`${merged}/`);
    if (!entry.at.subarray(0, prefix.length).equals(prefix)) continue;
    const at = inside(bytePath(upper), entry.at.subarray(prefix.length));
    if (existsSync(at)) return { ...entry, at };
  }
  mkdirSync(join(name, '..'), { recursive: true, mode: 0o700 });
  await cloneFile(entry.at, name);
  return { ...entry, at: bytePath(name) };
}
