import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Changes when anything below the folder does: a name, a mode, a byte, the time of a write. */
export function treeDigest(folder: string): string {
  const digest = createHash('sha256');
  const visit = (path: string): void => {
    const stat = lstatSync(path, { bigint: true });
    digest.update(`${path}\0${stat.mode}\0${stat.ino}\0${stat.nlink}\0`);
    if (stat.isSymbolicLink()) digest.update(readlinkSync(path));
    else if (stat.isFile()) digest.update(`${stat.mtimeNs}\0`).update(readFileSync(path));
    else if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(folder);
  return digest.digest('hex');
}
