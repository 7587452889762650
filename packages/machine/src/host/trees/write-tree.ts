import { mkdirSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TreeFile } from '../../base/archives/archive.js';
import { makeFolder } from '../state/state-folder.js';

/** Writes files into a folder that is new. Nobody but the owner may read them, and nobody is to change them. */
export async function writeTree(folder: string, files: readonly TreeFile[]): Promise<void> {
  await makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
  for (const { path, bytes, isProgram } of files) {
    const target = join(folder, path);
    await makeFolder(dirname(target));
    writeFileSync(target, bytes, { flag: 'wx', mode: isProgram ? 0o500 : 0o400 });
  }
}

export async function moveFolder(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await rename(from, to);
}
