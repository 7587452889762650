import { createHash } from 'node:crypto';
import { formatBytes } from '@toolwright/machine/base/amounts.js';
import { isToolError, messageOf } from '@toolwright/machine/base/errors.js';
import type { Redactor } from '@toolwright/machine/base/secrets/redact.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Permission } from '../permission/permission.js';
import { listWorkspaceFiles } from '../tools/search/workspace-files.js';
import type { RecordedTree, TreeFile } from './recording.js';

const MOST_FILES = 50_000;
const LARGEST_FILE = 16 * 1024 * 1024;
const LARGEST_TREE = 512 * 1024 * 1024;

export interface TreeNeeds {
  host: Host;
  permission: Pick<Permission, 'refusalWithoutAsking'>;
  redactor: Redactor;
}

export interface ReadTreeOptions {
  /** Absolute paths that are no part of it. */
  except: readonly string[];
  /** Gets the bytes of each file that may leave this machine, where the tree is packed. */
  onContent?(hash: string, bytes: Uint8Array): void;
  signal: AbortSignal;
}

/** The files of the workspace that ignore rules do not name, with their digests. Secret files are named, and left out. */
export async function readTree(
  { host, permission, redactor }: TreeNeeds,
  { except, onContent, signal }: ReadTreeOptions,
): Promise<RecordedTree> {
  const { workspace } = host;
  const files: TreeFile[] = [];
  const leftOut: RecordedTree['leftOut'] = [];
  let total = 0;
  for (const path of await pathsIn(host, signal)) {
    const absolute = workspace.resolve(path);
    if (except.includes(absolute)) continue;
    const refused = permission.refusalWithoutAsking('read', absolute);
    const read = refused ?? (await readFile(host, absolute, signal));
    if (typeof read === 'string') {
      leftOut.push({ path, why: read });
      continue;
    }
    total += read.bytes.length;
    if (total > LARGEST_TREE) {
      leftOut.push({ path, why: `the tree is larger than ${formatBytes(LARGEST_TREE)}` });
      continue;
    }
    const { size, mode, mtimeMs } = read.stat;
    if (onContent && holdsSecret(read.bytes, redactor)) {
      leftOut.push({ path, why: 'it holds a secret' });
      continue;
    }
    files.push({ path, size, mode, modifiedMs: Math.round(mtimeMs), hash: read.hash });
    onContent?.(read.hash, read.bytes);
  }
  return { digest: digestOf(files), files, leftOut, isPacked: onContent !== undefined };
}

/** True for bytes that must not leave this machine. */
export function holdsSecret(bytes: Uint8Array, redactor: Redactor): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return redactor.text(text) !== text;
}

async function pathsIn(host: Host, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = [];
  await listWorkspaceFiles(host, {
    signal,
    onFile(path) {
      paths.push(path);
      return paths.length < MOST_FILES;
    },
  });
  return paths.sort();
}

/** The file, or a sentence why it can't be read. */
async function readFile({ files }: Host, path: string, signal: AbortSignal) {
  try {
    return await files.read(path, { maxBytes: LARGEST_FILE, signal });
  } catch (error) {
    if (!isToolError(error)) throw error;
    return messageOf(error);
  }
}

function digestOf(files: readonly TreeFile[]): string {
  const hash = createHash('sha256');
  // The owner's right to run a file counts; the other permission bits depend on the machine.
  for (const { path, mode, hash: content } of files)
    hash.update(`${path}\0${mode & 0o100 ? 'x' : '-'}\0${content}\n`);
  return hash.digest('hex');
}

/** Paths whose files are not what they were; empty where the tree is the same. */
export function changedFiles(then: RecordedTree, now: RecordedTree): string[] {
  if (then.digest === now.digest) return [];
  const present = new Map(now.files.map((file) => [file.path, file]));
  const known = new Set([...then.files, ...then.leftOut].map(({ path }) => path));
  const unknown = new Set(now.leftOut.map(({ path }) => path));
  const changed = then.files.filter(
    ({ path, hash }) => !unknown.has(path) && present.get(path)?.hash !== hash,
  );
  const added = now.files.filter(({ path }) => !known.has(path));
  return [...changed, ...added].map(({ path }) => path).sort();
}
