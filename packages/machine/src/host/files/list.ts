import { lstatSync, readdir } from 'node:fs';
import { promisify } from 'node:util';
import { ToolError } from '../../base/errors.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import { nameIn } from './error.js';
import type { DirectoryEntry } from './files.js';
import { kindOf } from './read.js';
import type { Location, Walk } from './walk.js';

const readdirAsync = promisify(readdir);

/** Entries examined before others get a turn. */
const entriesAtOnce = 500;

export async function listAt(
  walk: Walk,
  location: Location,
  signal?: AbortSignal,
): Promise<DirectoryEntry[]> {
  const directory = walk.access.enter(location.directory, location.name);
  if (typeof directory === 'string') {
    throw new ToolError(
      'conflict',
      `${nameIn(walk.workspace, location.path)} was replaced just now. Try again.`,
    );
  }
  try {
    const entries: DirectoryEntry[] = [];
    for (const [index, bytes] of (await readdirAsync(directory.at('.'), 'buffer')).entries()) {
      if (index % entriesAtOnce === 0) {
        signal?.throwIfAborted();
        if (index > 0) await new Promise((resolve) => setImmediate(resolve));
      }
      const entry = describeEntry(walk, directory, bytes);
      if (entry) entries.push(entry);
    }
    walk.access.confirm(directory);
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } finally {
    directory.close();
  }
}

/** Null when the entry vanished meanwhile. */
function describeEntry({ access }: Walk, directory: HeldDirectory, bytes: Buffer): DirectoryEntry | null {
  const name = bytes.toString();
  const nameIsUtf8 = !name.includes('\ufffd') || Buffer.from(name).equals(bytes);
  const path = nameIsUtf8 ? directory.at(name) : Buffer.concat([Buffer.from(directory.at('')), bytes]);
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stat) return null;
  if (nameIsUtf8) access.confirm(directory, { name, stat });
  return {
    name: nameIsUtf8 ? name : escapeBytes(bytes),
    nameIsUtf8,
    kind: kindOf(stat),
    size: Number(stat.size),
    mtimeMs: Number(stat.mtimeNs) / 1e6,
  };
}

/** Readable ASCII is preserved, every other byte becomes `\xNN`. */
function escapeBytes(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    const readable = byte >= 0x20 && byte < 0x7f;
    text += readable ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return text;
}
