import { createHash } from 'node:crypto';
import type { TreeFile } from '../../base/archives/archive.js';

/** SHA-256 over paths, contents and which files are programs, in an order that nothing else decides. */
export function digestOfTree(files: readonly TreeFile[]): string {
  const hash = createHash('sha256');
  for (const { path, bytes, isProgram } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash
      .update(`${JSON.stringify(path)} ${isProgram ? 'x' : '-'} ${bytes.length}\n`)
      .update(createHash('sha256').update(bytes).digest());
  return hash.digest('hex');
}
