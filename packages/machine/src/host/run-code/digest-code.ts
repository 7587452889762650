import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolError } from '../../base/errors.js';
import { foreignText } from '../../base/sentences/foreign-text.js';
import { hashOfFile } from '../state/inspect-files.js';
import { couldRun } from './could-run.js';

/** Hashes by path: one for each file, and one for a folder of packages as a whole. */
export type CodeDigest = Readonly<Record<string, string>>;

const MOST_FILES = 200_000;
/** A file this large is a library; its size and times identify it well enough. */
const LARGE = 16 * 1024 * 1024;
const AT_ONCE = 32;
/** Folders that package managers fill: nobody needs to know which of their files changed. */
const FILLED = /(^|\/)(node_modules|site-packages|\.venv|venv)(\/|$)/;

/** Hashes all code at the paths. A missing path has no entry, so its appearance is a change. */
export async function digestCode(paths: readonly string[], signal: AbortSignal): Promise<CodeDigest> {
  const digest: Record<string, string> = {};
  for (const path of paths) {
    const files = await filesAt(path, signal);
    const hashes = await hashesOf(files, signal);
    if (files.length > 1 && FILLED.test(path)) digest[path] = together(path, files, hashes);
    else for (const [index, file] of files.entries()) digest[file] = hashes[index] as string;
  }
  return digest;
}

function together(path: string, files: readonly string[], hashes: readonly string[]): string {
  const hash = createHash('sha256');
  for (const [index, file] of files.entries()) hash.update(`${file.slice(path.length)}\0${hashes[index]}\n`);
  return hash.digest('hex');
}

/**
 * The file itself, or the files in the folder that could run. Links are not followed: their targets are listed
 * separately.
 */
async function filesAt(path: string, signal: AbortSignal): Promise<string[]> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  const files: string[] = [];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // A Python environment has thousands of folders, and signals are only noticed between turns.
    await nextTurn();
    signal.throwIfAborted();
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const place = join(folder, entry.name);
      if (!couldRun(place.slice(path.length + 1))) continue;
      if (!entry.isDirectory()) files.push(place);
      // Packages inside a package that counts as a whole are listed separately if they are loaded.
      else if (entry.name !== 'node_modules') folders.push(place);
    }
    if (files.length > MOST_FILES)
      throw new ToolError(
        'too_large',
        `the code that it runs in ${foreignText(path)} has more than ${MOST_FILES} files, too many to be looked at before each start; move it out of the folder you work in`,
      );
  }
  return files.sort();
}

async function hashesOf(files: readonly string[], signal: AbortSignal): Promise<string[]> {
  const hashes: string[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE)
    hashes.push(...(await Promise.all(files.slice(at, at + AT_ONCE).map((file) => hashOf(file, signal)))));
  return hashes;
}

async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  if (found.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (found.size > LARGE) return `${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  return (await hashOfFile(path, LARGE, signal)) ?? 'unreadable';
}

export interface CodeChange {
  path: string;
  change: 'new' | 'changed' | 'gone';
}

export function changesBetween(before: CodeDigest, after: CodeDigest): CodeChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): CodeChange[] => {
    if (!Object.hasOwn(before, path)) return [{ path, change: 'new' }];
    if (!Object.hasOwn(after, path)) return [{ path, change: 'gone' }];
    return before[path] === after[path] ? [] : [{ path, change: 'changed' }];
  });
}
