import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read as readDescriptor,
  readdir,
  statfsSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { ToolError } from '../../base/errors.js';
import type { DirectoryEntry, FileKind, FileStat, OpenFile } from '../files.js';
import { fileSystemError } from './error.js';
import type { Location, Walk } from './walk.js';

const readAsync = promisify(readDescriptor);
const readdirAsync = promisify(readdir);

/** Absent on Windows, where a link is seen by comparing the file before and after it was opened. */
export const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

type Kinds = Pick<BigIntStats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

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

/** A file open for reading (or more), certain to be regular and to be the one at the location. */
export interface Descriptor {
  number: number;
  stat: BigIntStats;
}

export function openRegular(walk: Walk, location: Location, flags = constants.O_RDONLY): Descriptor {
  const shown = walk.workspace.show(location.path);
  refuseUnlessRegular(location.stat, location, shown);
  let number: number;
  try {
    number = openSync(location.directory.at(location.name), flags | noFollow);
  } catch (error) {
    throw fileSystemError(error, { doing: 'open', shown });
  }
  try {
    const stat = fstatSync(number, { bigint: true });
    refuseUnlessRegular(stat, location, shown);
    walk.access.confirm(location.directory, { name: location.name, stat });
    if (stat.blocks === 0n) refuseKernelFile(number, shown);
    return { number, stat };
  } catch (error) {
    closeSync(number);
    throw error;
  }
}

function refuseUnlessRegular(stat: BigIntStats | null, location: Location, shown: string): void {
  if (stat?.isFile()) return;
  if (!stat) throw missing(location, shown);
  if (stat.isDirectory()) throw new ToolError('failed', `${shown} is a folder, not a file.`);
  if (stat.isSymbolicLink()) {
    throw new ToolError('conflict', `${shown} was replaced by a link just now. Try again.`);
  }
  throw new ToolError('failed', `${shown} is ${specialKind(stat)}, not a regular file; it was not opened.`);
}

function specialKind(stat: BigIntStats): string {
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}

export function missing({ blockedBy, realPath, below, path }: Location, shown: string): ToolError {
  if (blockedBy) return new ToolError('not_found', `${shown} does not exist: ${blockedBy} is not a folder.`);
  if (realPath !== path) {
    return new ToolError('not_found', `${shown} is a link to ${realPath}, which does not exist.`);
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

/** Such files claim to be regular, but reading one can block, never end, or act on the system. */
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

/** Pieces small enough that a cancel is felt and several readers take turns. */
const pieceBytes = 8 * 1024 * 1024;

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
    const { bytesRead } = await readAsync(descriptor, buffer, filled, length, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** The whole file, also when it grew since its size was asked. */
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
    // One byte more than expected shows whether the file ended there.
    const buffer = Buffer.allocUnsafeSlow(size + 1);
    const filled = await fill(number, buffer, 0, signal);
    if (filled <= size) return buffer.subarray(0, filled);
    size = Math.max(Number(fstatSync(number, { bigint: true }).size), size + 1);
  }
}

/** Entries looked at before others get a turn. */
const entriesAtOnce = 500;

export async function listDirectory(
  walk: Walk,
  location: Location,
  signal?: AbortSignal,
): Promise<DirectoryEntry[]> {
  const { directory, name } = location;
  const at = directory.at(name);
  const names = await readdirAsync(at, 'buffer');
  const entries: DirectoryEntry[] = [];
  for (const [index, bytes] of names.entries()) {
    if (index % entriesAtOnce === entriesAtOnce - 1) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    }
    const entry = describeEntry(at, bytes);
    if (entry) entries.push(entry);
  }
  walk.access.confirm(directory, location.stat ? { name, stat: location.stat } : undefined);
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Null when it went away meanwhile. */
function describeEntry(directory: string, bytes: Buffer): DirectoryEntry | null {
  const name = bytes.toString();
  const nameIsUtf8 = !name.includes('\ufffd') || Buffer.from(name).equals(bytes);
  const path = nameIsUtf8 ? `${directory}/${name}` : Buffer.concat([Buffer.from(`${directory}/`), bytes]);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  return {
    name: nameIsUtf8 ? name : escapeBytes(bytes),
    nameIsUtf8,
    kind: stat.isFile()
      ? 'file'
      : stat.isDirectory()
        ? 'directory'
        : stat.isSymbolicLink()
          ? 'symlink'
          : 'other',
    size: stat.size,
    mtimeMs: stat.mtimeMs,
  };
}

/** Readable ASCII as it is, every other byte as `\xNN`. */
function escapeBytes(bytes: Buffer): string {
  return [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}
