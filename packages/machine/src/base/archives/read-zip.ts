import { inflateRawSync } from 'node:zlib';
import { isNodeError } from '../errors.js';
import { TakenFiles, type TreeFile, type TreeLimits, usualTreeLimits } from './archive.js';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const LINK = 0o120000;
const REGULAR = 0o100000;
const KIND = 0o170000;

/** The regular files of a zip archive. Links, encryption and paths out are refused; what it says of sizes is not believed. */
export function readZip(bytes: Uint8Array, name: string, limits: TreeLimits = usualTreeLimits): TreeFile[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const taken = new TakenFiles(name, limits);
  const end = findEnd(view);
  if (end === null) throw taken.refusal('it is not a zip archive');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > view.byteLength || view.getUint32(at, true) !== ENTRY)
      throw taken.refusal('its list of files is broken');
    const entry = readEntry(view, bytes, at);
    at = entry.next;
    if (!entry.path.endsWith('/')) taken.add(fileOf(entry, { view, bytes, taken }));
  }
  return taken.files;
}

interface ZipEntry {
  path: string;
  mode: number;
  isEncrypted: boolean;
  method: number;
  packedBytes: number;
  local: number;
  next: number;
}

function findEnd(view: DataView): number | null {
  const lowest = Math.max(0, view.byteLength - END_BYTES - 0xffff);
  for (let at = view.byteLength - END_BYTES; at >= lowest; at--)
    if (view.getUint32(at, true) === END) return at;
  return null;
}

function readEntry(view: DataView, bytes: Uint8Array, at: number): ZipEntry {
  const nameBytes = view.getUint16(at + 28, true);
  const start = at + ENTRY_BYTES;
  return {
    path: new TextDecoder().decode(bytes.subarray(start, start + nameBytes)),
    // Only archives made on Unix have modes.
    mode: view.getUint8(at + 5) === 3 ? view.getUint16(at + 40, true) : 0,
    isEncrypted: (view.getUint16(at + 8, true) & 1) !== 0,
    method: view.getUint16(at + 10, true),
    packedBytes: view.getUint32(at + 20, true),
    local: view.getUint32(at + 42, true),
    next: start + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true),
  };
}

interface Opened {
  view: DataView;
  bytes: Uint8Array;
  taken: TakenFiles;
}

function fileOf(entry: ZipEntry, { view, bytes, taken }: Opened): TreeFile {
  const { path, mode, local, packedBytes, method } = entry;
  const kind = mode & KIND;
  if (kind === LINK) throw taken.refusal(`${path} is a link`);
  if (kind !== 0 && kind !== REGULAR) throw taken.refusal(`${path} is not a regular file`);
  if (entry.isEncrypted) throw taken.refusal(`${path} is encrypted`);
  if (local + LOCAL_BYTES > view.byteLength || view.getUint32(local, true) !== LOCAL)
    throw taken.refusal(`${path} is broken`);
  const start = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = bytes.subarray(start, start + packedBytes);
  if (packed.length !== packedBytes) throw taken.refusal(`${path} is cut off`);
  return { path, bytes: unpacked(packed, { path, method, taken }), isProgram: (mode & 0o111) !== 0 };
}

function unpacked(
  packed: Uint8Array,
  { path, method, taken }: { path: string; method: number; taken: TakenFiles },
): Uint8Array {
  if (method === 0) return packed;
  if (method !== 8) throw taken.refusal(`${path} is packed in a way that is not read here (${method})`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, taken.room) });
  } catch (error) {
    throw isNodeError(error, 'ERR_BUFFER_TOO_LARGE') ? taken.tooLarge() : taken.refusal(`${path} is broken`);
  }
}
