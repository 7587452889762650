import { gunzipSync } from 'node:zlib';
import { isNodeError } from '../errors.js';
import { TakenFiles, type TreeFile, type TreeLimits, usualTreeLimits } from './archive.js';

const BLOCK = 512;
/** Room for the headers of the files. */
const HEADERS = 8 * 1024 * 1024;

/** The regular files of a tar archive, packed by gzip or not. Links, devices and paths out are refused. */
export function readTar(bytes: Uint8Array, name: string, limits: TreeLimits = usualTreeLimits): TreeFile[] {
  const taken = new TakenFiles(name, limits);
  const plain = isGzip(bytes) ? unzipped(bytes, limits, taken) : bytes;
  if (plain.length < BLOCK) throw taken.refusal('it is not a tar archive, or it is broken');
  let longPath: string | undefined;
  for (let at = 0; at + BLOCK <= plain.length; ) {
    const header = plain.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return taken.files;
    if (!hasRightSum(header)) throw taken.refusal('it is not a tar archive, or it is broken');
    const size = numberAt(header, 124, 12);
    const content = plain.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length !== size) throw taken.refusal('it is cut off');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L') longPath = textOf(content);
    else if (type === 'x') longPath = paxPath(content) ?? longPath;
    else if (type !== 'g') {
      const path = longPath ?? pathOf(header);
      longPath = undefined;
      take({ path, type, content, isProgram: (numberAt(header, 100, 8) & 0o111) !== 0 }, taken);
    }
  }
  return taken.files;
}

function take(
  { path, type, content, isProgram }: { path: string; type: string; content: Uint8Array; isProgram: boolean },
  taken: TakenFiles,
): void {
  const clean = path.replace(/^(?:\.\/)+/, '');
  if (type === '5' || clean === '' || clean.endsWith('/')) return;
  if (type === '1' || type === '2') throw taken.refusal(`${clean} is a link`);
  if (type !== '0' && type !== '\0' && type !== '7') throw taken.refusal(`${clean} is not a regular file`);
  taken.add({ path: clean, bytes: content, isProgram });
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unzipped(bytes: Uint8Array, limits: TreeLimits, taken: TakenFiles): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: limits.bytes + HEADERS });
  } catch (error) {
    throw isNodeError(error, 'ERR_BUFFER_TOO_LARGE') ? taken.tooLarge() : taken.refusal('it is broken');
  }
}

function hasRightSum(header: Uint8Array): boolean {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum === numberAt(header, 148, 8);
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

function numberAt(header: Uint8Array, at: number, length: number): number {
  const text = textOf(header.subarray(at, at + length)).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : text === '' ? 0 : Number.NaN;
}

function pathOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = textOf(header.subarray(257, 262)) === 'ustar';
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The path in a pax header: lines of `LENGTH path=VALUE`. */
function paxPath(content: Uint8Array): string | undefined {
  return /^\d+ path=(.*)$/m.exec(new TextDecoder().decode(content))?.[1];
}
