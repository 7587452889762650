import { formatBytes, formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import type { FileType } from './file-type.js';
import { decodeGif } from './gif.js';
import { imageThread } from './image-thread.js';
import { runIsolated } from './run-isolated.js';

/** An image every provider takes: PNG, JPEG or WebP, one frame, decoded once to be sure, of a sane size. */
export interface PreparedImage {
  mimeType: string;
  bytes: Uint8Array;
  /** Size in the file, upright. */
  original: Size;
  /** Difference from the file: "shown at 1,568 × 1,176". Empty when there is none. */
  changes: string;
}

/** Larger files are not even read. */
export const MAX_IMAGE_FILE_BYTES = 32 * 1024 * 1024;
/** Beyond this side providers scale down themselves, after the upload was paid. */
const MAX_SIDE = 1568;
/** Some providers refuse smaller ones, and icons are easier to see enlarged. */
const MIN_SIDE = 28;
const MAX_SENT_BYTES = 3_500_000;
/** Four bytes each while decoding. */
const MAX_PIXELS = 50_000_000;
const MAX_GIF_PIXELS = 16_000_000;
const LIMIT_MS = 30_000;

const sentAsIs = new Set(['image/png', 'image/jpeg', 'image/webp']);
const decodable = new Set([
  ...sentAsIs,
  'image/gif',
  'image/bmp',
  'image/tiff',
  'image/x-icon',
  'image/x-portable-pixmap',
  'image/x-portable-graymap',
]);

interface Size {
  width: number;
  height: number;
}

type ImageAnswer =
  | { kind: 'undecodable' | 'too-large' }
  | { kind: 'sound'; width: number; height: number }
  | { kind: 'encoded'; width: number; height: number; bytes: Uint8Array; mimeType: string };

/** Throws a `ToolError` that says what is wrong with the image, so that bad bytes never reach a model. */
export async function prepareImage(
  bytes: Uint8Array,
  type: FileType,
  signal: AbortSignal,
): Promise<PreparedImage> {
  if (!decodable.has(type.mimeType)) {
    throw unusable(type, bytes, 'this format is not supported. Convert it to PNG first');
  }
  const structure = imageStructure(type.mimeType, bytes);
  if (structure.problem) throw unusable(type, bytes, structure.problem);
  const { orientation, ...size } = await measure(bytes, type, structure);
  const limit = type.mimeType === 'image/gif' ? MAX_GIF_PIXELS : MAX_PIXELS;
  if (size.width * size.height > limit) {
    throw new ToolError(
      'too_large',
      `The ${type.label} is ${showSize(size)} pixels, too many to decode. Make a smaller copy (for example with ImageMagick) and read that.`,
    );
  }
  const target = fittingSize(size);
  const encode =
    target !== null || !sentAsIs.has(type.mimeType) || structure.frames > 1 || bytes.length > MAX_SENT_BYTES;
  const gif = type.mimeType === 'image/gif' ? decodeGif(bytes) : null;
  if (type.mimeType === 'image/gif' && !gif) throw unusable(type, bytes, 'its data is damaged or cut off');
  const answer = await runIsolated<ImageAnswer>({
    what: 'Decoding the image',
    source: imageThread,
    library: '@silvia-odwyer/photon-node',
    data: {
      ...(gif ? { pixels: gif.pixels, ...size } : { bytes }),
      target,
      orientation,
      encode,
      preferPng: type.mimeType !== 'image/jpeg',
      maxBytes: MAX_SENT_BYTES,
    },
    signal,
    limitMs: LIMIT_MS,
  });
  const frames = gif?.frames ?? structure.frames;
  return finish(answer, { type, bytes, frames, size: turned(size, orientation) });
}

function finish(
  answer: ImageAnswer,
  original: { type: FileType; bytes: Uint8Array; frames: number; size: Size },
): PreparedImage {
  const { type, bytes, size } = original;
  switch (answer.kind) {
    case 'undecodable':
      throw unusable(type, bytes, 'its data is damaged or of an unknown kind');
    case 'too-large':
      throw unusable(type, bytes, `it can't be brought below ${formatBytes(MAX_SENT_BYTES)}`);
    case 'sound':
      return { mimeType: type.mimeType, bytes, original: size, changes: '' };
    case 'encoded':
      return {
        mimeType: answer.mimeType,
        bytes: answer.bytes,
        original: size,
        changes: describeChanges(answer, original),
      };
  }
}

function describeChanges(
  sent: Size & { mimeType: string },
  { type, frames, size }: { type: FileType; frames: number; size: Size },
): string {
  const changes: string[] = [];
  if (frames > 1) changes.push(`animated, the first of ${plural(frames, 'frame')} is shown`);
  if (sent.width !== size.width || sent.height !== size.height) changes.push(`shown at ${showSize(sent)}`);
  if (sent.mimeType !== type.mimeType)
    changes.push(`converted to ${sent.mimeType === 'image/png' ? 'PNG' : 'JPEG'}`);
  return changes.join(', ');
}

async function measure(
  bytes: Uint8Array,
  type: FileType,
  { headerBytes }: ImageStructure,
): Promise<Size & { orientation: number }> {
  const { imageSize } = await import('image-size');
  try {
    // A Buffer's slices are views, so that damaged input can't make the parser copy for minutes.
    const header = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytes ?? bytes.byteLength);
    const { width, height, orientation } = imageSize(header);
    if (width > 0 && height > 0) return { width, height, orientation: orientation ?? 1 };
  } catch {
    // Reported below: the parser's own words say nothing to a reader.
  }
  throw unusable(type, bytes, 'its header gives no size');
}

/** The size to send, or null when the image may stay as it is. */
export function fittingSize({ width, height }: Size): Size | null {
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  if (long > MAX_SIDE) return scaled({ width, height }, MAX_SIDE / long);
  const factor = Math.min(Math.ceil(MIN_SIDE / short), Math.floor(MAX_SIDE / long));
  return factor > 1 ? scaled({ width, height }, factor) : null;
}

function scaled({ width, height }: Size, factor: number): Size {
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** EXIF orientations from 5 on lie on their side. */
function turned({ width, height }: Size, orientation: number): Size {
  return orientation >= 5 && orientation <= 8 ? { width: height, height: width } : { width, height };
}

export function showSize({ width, height }: Size): string {
  return `${formatNumber(width)} × ${formatNumber(height)}`;
}

function unusable(type: FileType, bytes: Uint8Array, problem: string): ToolError {
  return new ToolError(
    'failed',
    `The ${type.label} (${formatBytes(bytes.length)}) can't be shown: ${problem}.`,
  );
}

/** Facts from an image's container, read without decoding a pixel. */
export interface ImageStructure {
  frames: number;
  /** Offset of the pixel data, when the format tells. */
  headerBytes?: number;
  /** Why the file can't be a whole image. */
  problem?: string;
}

function imageStructure(mimeType: string, bytes: Uint8Array): ImageStructure {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (mimeType) {
    case 'image/png':
      return pngStructure(bytes, view);
    case 'image/jpeg':
      return jpegStructure(bytes, view);
    case 'image/webp':
      return webpStructure(bytes, view);
    default:
      return { frames: 1 };
  }
}

const cutOff: ImageStructure = { frames: 0, problem: 'it is cut off: the data ends too early' };

function pngStructure(bytes: Uint8Array, view: DataView): ImageStructure {
  let position = 8;
  let frames = 1;
  let hasData = false;
  while (position + 12 <= bytes.length) {
    const length = view.getUint32(position);
    const type = tag(bytes, position + 4);
    if (position + 12 + length > bytes.length) return cutOff;
    if (type === 'acTL' && length >= 8) frames = Math.max(1, view.getUint32(position + 8));
    if (type === 'IDAT') hasData = true;
    if (type === 'IEND') return hasData ? { frames } : { frames: 0, problem: 'it holds no image data' };
    position += 12 + length;
  }
  return cutOff;
}

function jpegStructure(bytes: Uint8Array, view: DataView): ImageStructure {
  let position = 2;
  while (position + 4 <= bytes.length) {
    if (bytes[position] !== 0xff) return { frames: 0, problem: 'its segments are damaged' };
    const marker = bytes[position + 1];
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    if (marker === 0xda) {
      return endsWithMarker(bytes, position) ? { frames: 1, headerBytes: position } : cutOff;
    }
    const length = view.getUint16(position + 2);
    if (length < 2) return { frames: 0, problem: 'its segments are damaged' };
    position += 2 + length;
  }
  return cutOff;
}

function endsWithMarker(bytes: Uint8Array, from: number): boolean {
  for (let index = bytes.length - 2; index >= from; index -= 1) {
    if (bytes[index] === 0xff && bytes[index + 1] === 0xd9) return true;
  }
  return false;
}

function webpStructure(bytes: Uint8Array, view: DataView): ImageStructure {
  if (bytes.length < 20 || view.getUint32(4, true) + 8 > bytes.length) return cutOff;
  let position = 12;
  let frames = 0;
  let hasImage = false;
  while (position + 8 <= bytes.length) {
    const type = tag(bytes, position);
    const length = view.getUint32(position + 4, true);
    if (position + 8 + length > bytes.length) return cutOff;
    if (type === 'ANMF') frames += 1;
    if (type === 'VP8 ' || type === 'VP8L') hasImage = true;
    position += 8 + length + (length & 1);
  }
  if (!hasImage && frames === 0) return { frames: 0, problem: 'it holds no image data' };
  return { frames: Math.max(1, frames) };
}

function tag(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}
