import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read as readDescriptor,
  readdir,
  readSync,
  type StatsBase,
  statfsSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { ToolError } from '../../base/errors.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import type { Workspace } from '../workspace.js';
import type { DirectoryEntry, FileKind, FileStat, OpenFile } from './files.js';
import { fileSystemError, isDirectory, type Location, nameIn, type Walk } from './walk.js';

const readAsync = promisify(readDescriptor);

/** A flag without effect on Windows, where a link is detected by comparing the file before and after it was opened. */
export const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

type Kinds = Pick<StatsBase<unknown>, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

export function kindOf(stat: Kinds): FileKind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}

export function toFileStat(stat: BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mode: Number(stat.mode & 0o777n),
    mtimeMs: Number(stat.mtimeNs) / 1e6,
    links: Number(stat.nlink),
    device: stat.dev,
    inode: stat.ino,
  };
}

/** An open file, certain to be regular and to be the one at the location. */
export interface Descriptor {
  number: number;
  stat: BigIntStats;
}

export function openRegular(walk: Walk, location: Location, flags = constants.O_RDONLY): Descriptor {
  const shown = nameIn(walk.workspace, location.path);
  refuseUnlessRegular(location.stat, location, walk);
  let number: number;
  try {
    number = openSync(location.directory.at(location.name), flags | noFollow);
  } catch (error) {
    throw fileSystemError(error, { doing: 'open', shown });
  }
  try {
    const stat = fstatSync(number, { bigint: true });
    refuseUnlessRegular(stat, location, walk);
    walk.access.confirm(location.directory, { name: location.name, stat });
    if (stat.blocks === 0n) refuseKernelFile(number, shown);
    return { number, stat };
  } catch (error) {
    closeSync(number);
    throw error;
  }
}

function refuseUnlessRegular(stat: BigIntStats | null, location: Location, { workspace }: Walk): void {
  if (stat?.isFile()) return;
  if (!stat) throw missing(location, workspace);
  const shown = nameIn(workspace, location.path);
  if (stat.isDirectory()) throw isDirectory(workspace, location.path);
  if (stat.isSymbolicLink()) {
    throw new ToolError('conflict', `${shown} was replaced by a link just now. Try again.`);
  }
  throw new ToolError('failed', `${shown} is ${specialKind(stat)}, not a regular file; it was not opened.`);
}

function specialKind(stat: BigIntStats): string {
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}

export function missing(location: Location, workspace: Workspace): ToolError {
  const { blockedBy, realPath, below, path } = location;
  const shown = nameIn(workspace, path);
  if (blockedBy !== undefined) {
    return new ToolError(
      'not_found',
      `${shown} does not exist: ${nameIn(workspace, blockedBy)} is not a folder.`,
    );
  }
  if (realPath !== path) {
    const target = nameIn(workspace, realPath);
    return new ToolError('not_found', `${shown} leads through a link to ${target}, which does not exist.`);
  }
  const parent = below.length > 0 ? ' Its folder does not exist either.' : '';
  return new ToolError('not_found', `${shown} does not exist.${parent}`);
}

const kernelFileSystems = new Map([
  [0x9fa0, '/proc'],
  [0x62656572, '/sys'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0xcafe4a11, 'bpf'],
]);

/** Kernel files claim to be regular, but reading one can block, never end, or act on the system. */
function refuseKernelFile(descriptor: number, shown: string): void {
  if (process.platform !== 'linux') return;
  const name = kernelFileSystems.get(statfsSync(`/proc/self/fd/${descriptor}`).type);
  if (name) {
    throw new ToolError(
      'failed',
      `${shown} is part of the kernel's interface (${name}), not a file on disk.`,
    );
  }
}

export function openFile(descriptor: Descriptor, realPath: string, shown: string): OpenFile {
  const { number } = descriptor;
  let open = true;
  const readInto = async (buffer: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> => {
    if (!open) throw new Error(`${shown} was closed`);
    try {
      return await fill(number, buffer, offset, signal);
    } catch (error) {
      throw fileSystemError(error, { doing: 'read', shown });
    }
  };
  return {
    realPath,
    stat: toFileStat(descriptor.stat),
    readInto,
    async read(offset, length, signal) {
      if (!open) throw new Error(`${shown} was closed`);
      const size = Number(fstatSync(number, { bigint: true }).size);
      const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
      return buffer.subarray(0, await readInto(buffer, offset, signal));
    },
    async close() {
      if (!open) return;
      open = false;
      closeSync(number);
    },
  };
}

/** The size of a piece: small enough to notice an abort soon and to let several readers take turns. */
const pieceBytes = 8 * 1024 * 1024;
/** Up to this size reading takes less time than handing it to another thread. */
const atOnceBytes = 64 * 1024;

/** Reads until the buffer is full or the file ends. */
export async function fill(
  descriptor: number,
  buffer: Uint8Array,
  offset: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0;
  while (filled < buffer.byteLength) {
    signal?.throwIfAborted();
    const length = Math.min(pieceBytes, buffer.byteLength - filled);
    const bytesRead =
      length <= atOnceBytes
        ? readSync(descriptor, buffer, filled, length, offset + filled)
        : (await readAsync(descriptor, buffer, filled, length, offset + filled)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** Reads the whole file, even if it grew since its size was asked. */
export async function readWhole(
  { number, stat }: Descriptor,
  { maxBytes, shown, signal }: { maxBytes: number; shown: string; signal?: AbortSignal },
): Promise<Buffer> {
  let size = Number(stat.size);
  for (;;) {
    if (size > maxBytes) {
      throw new ToolError(
        'too_large',
        `${shown} is ${size} bytes long; at most ${maxBytes} bytes are read at once. Read a part of it.`,
      );
    }
    // An extra byte shows whether the file ends where expected.
    const buffer = Buffer.allocUnsafeSlow(size + 1);
    const filled = await fill(number, buffer, 0, signal);
    if (filled <= size) return buffer.subarray(0, filled);
    size = Math.max(Number(fstatSync(number, { bigint: true }).size), 2 * size + atOnceBytes);
  }
}

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
