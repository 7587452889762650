import { decodeUnicode } from '@toolwright/machine/base/encodings/unicode.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { OpenFile } from '@toolwright/machine/host/files/files.js';
import {
  countLinesBefore,
  type LineScan,
  lineScan,
  skipInChunk,
  skipLines,
  skipLinesFromEnd,
} from './line-scan.js';
import { lineFeedView, type TextWindow, takeLines, type WindowRequest } from './text-window.js';

export interface TextEncoding {
  name: string;
  bomLength: number;
}

/** Lines around a window are counted in files up to this size; it takes some 50 ms. */
const COUNTED_BYTES = 64 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
/** ASCII in UTF-32 shrinks to a quarter in the answer. */
const SHRINK = 4;

/** The encoding of a file too long to be read whole, told by its beginning; null when it is not text. */
export async function sniffEncoding(file: OpenFile, signal: AbortSignal): Promise<TextEncoding | null> {
  const sample = await file.read(0, SAMPLE_BYTES, signal);
  const decoded =
    (await decodeText(wholeLines(sample))) ??
    (sample.includes(0) ? await decodeText(wholeUnits(sample)) : null);
  return decoded && { name: decoded.encoding, bomLength: decoded.bomLength };
}

/** A sample that ended inside a character would look damaged. */
function wholeLines(sample: Uint8Array): Uint8Array {
  const lineFeed = sample.lastIndexOf(0x0a);
  if (lineFeed > 0) return sample.subarray(0, lineFeed + 1);
  let end = sample.length;
  while (end > 0 && end > sample.length - 4 && sample[end - 1]! >= 0x80) end -= 1;
  return sample.subarray(0, end);
}

/** The same for UTF-16 and UTF-32, where a line feed is more than one byte. */
function wholeUnits(sample: Uint8Array): Uint8Array {
  return sample.subarray(0, sample.length - (sample.length % 4));
}

/** A window of a file too long to be read whole, or the number of its lines when it ends before. */
export async function farWindow(
  file: OpenFile,
  encoding: TextEncoding,
  request: WindowRequest & { signal: AbortSignal; chunkBytes?: number },
): Promise<TextWindow | { pastEndOf: number }> {
  const scan = lineScan(file, encoding, request);
  const begin = await findBegin(scan, request.offset);
  if (begin.position >= file.stat.size) return { pastEndOf: begin.firstLine ?? 0 };
  const { taken, end } = await takeFrom(scan, encoding, { ...request, position: begin.position });
  const more = await countLinesFrom(scan, end);
  const reached = begin.firstLine === null ? null : begin.firstLine + taken.lineCount;
  return {
    ...taken,
    firstLine: begin.firstLine,
    totalLines: reached === null || more === null ? null : reached + more,
    nextOffset: more === 0 ? null : (reached ?? taken.lineCount - begin.linesToEnd),
  };
}

/** Null when counting would take too long. */
async function countLinesFrom(scan: LineScan, position: number): Promise<number | null> {
  if (scan.file.stat.size - position > COUNTED_BYTES) return null;
  return (await skipLines(scan, position, Number.POSITIVE_INFINITY)).lines;
}

interface Begin {
  position: number;
  /** Null when counting the lines before it would take too long. */
  firstLine: number | null;
  /** Lines from here to the end, known when counted from there. */
  linesToEnd: number;
}

async function findBegin(scan: LineScan, offset: number): Promise<Begin> {
  if (offset >= 0) {
    const { position, lines } = await skipLines(scan, scan.start, offset);
    return { position, firstLine: lines, linesToEnd: 0 };
  }
  const { position, lines } = await skipLinesFromEnd(scan, -offset);
  if (position - scan.start > COUNTED_BYTES) return { position, firstLine: null, linesToEnd: lines };
  return { position, firstLine: await countLinesBefore(scan, position), linesToEnd: lines };
}

async function takeFrom(
  scan: LineScan,
  encoding: TextEncoding,
  { position, limit, maxBytes }: WindowRequest & { position: number },
) {
  const range = asBuffer(await scan.file.read(position, (maxBytes + 1) * SHRINK, scan.signal));
  const atEnd = position + range.length >= scan.file.stat.size;
  const whole = skipInChunk(scan, range, Number.POSITIVE_INFINITY);
  const usable = atEnd || whole.lines === 0 ? range : range.subarray(0, whole.end);
  const text = lineFeedView(await decodeRange(usable, encoding));
  const taken = takeLines(text, 0, { limit, maxBytes });
  const shown = skipInChunk(scan, usable, taken.lineCount);
  if (shown.lines === taken.lineCount) return { taken, end: position + shown.end };
  const end = atEnd ? scan.file.stat.size : (await skipLines(scan, position, taken.lineCount)).position;
  return { taken, end };
}

async function decodeRange(bytes: Buffer, { name }: TextEncoding): Promise<string> {
  if (name.startsWith('utf-')) return decodeUnicode(bytes, name, 0).text;
  const { decodeLegacy } = await import('@toolwright/machine/base/encodings/legacy-encodings.js');
  return (await decodeLegacy(bytes, name)).text;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
