import { decodeUnicode } from '@toolwright/machine/base/encodings/unicode.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { OpenFile } from '@toolwright/machine/host/files/files.js';
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

/** A long file seen as lines, with one chunk of it in memory at a time. */
export interface LineScan {
  file: OpenFile;
  /** First byte after the byte order mark. */
  start: number;
  /** Bytes per code unit: 2 and 4 for UTF-16 and UTF-32, else 1 (no legacy encoding has a line feed inside a character). */
  unit: 1 | 2 | 4;
  lineFeed: Uint8Array;
  /** Used again for every chunk, so that memory stays flat. */
  buffer: Buffer;
  signal: AbortSignal;
}

const CHUNK_BYTES = 1024 * 1024;

function lineScan(
  file: OpenFile,
  encoding: { name: string; bomLength: number },
  { signal, chunkBytes = CHUNK_BYTES }: { signal: AbortSignal; chunkBytes?: number | undefined },
): LineScan {
  const unit = encoding.name.startsWith('utf-16') ? 2 : encoding.name.startsWith('utf-32') ? 4 : 1;
  const lineFeed = new Uint8Array(unit);
  lineFeed[encoding.name.endsWith('be') ? unit - 1 : 0] = 0x0a;
  return { file, start: encoding.bomLength, unit, lineFeed, buffer: Buffer.allocUnsafe(chunkBytes), signal };
}

export interface SkippedLines {
  /** First byte of the line after the skipped ones, or the end of the file. */
  position: number;
  /** Lines really there, a last one without a line feed included. */
  lines: number;
}

/** Goes so many lines forward; Infinity counts to the end. */
async function skipLines(scan: LineScan, from: number, wanted: number): Promise<SkippedLines> {
  let lines = 0;
  let position = from;
  let lineEnd = from;
  while (lines < wanted) {
    const chunk = await readChunk(scan, position, scan.buffer.length);
    if (chunk.length === 0) {
      return position > lineEnd ? { position, lines: lines + 1 } : { position, lines };
    }
    const found = skipInChunk(scan, chunk, wanted - lines);
    if (found.lines > 0) {
      lines += found.lines;
      lineEnd = position + found.end;
    }
    position += chunk.length;
  }
  return { position: lineEnd, lines };
}

/** Lines that begin before a byte where a line begins. */
async function countLinesBefore(scan: LineScan, end: number): Promise<number> {
  let lines = 0;
  let position = scan.start;
  while (position < end) {
    const chunk = await readChunk(scan, position, Math.min(scan.buffer.length, end - position));
    if (chunk.length === 0) break;
    lines += skipInChunk(scan, chunk, Number.POSITIVE_INFINITY).lines;
    position += chunk.length;
  }
  return lines;
}

/** Goes so many lines back from the end of the file. */
async function skipLinesFromEnd(scan: LineScan, wanted: number): Promise<SkippedLines> {
  const size = scan.file.stat.size - ((scan.file.stat.size - scan.start) % scan.unit);
  let lines = 0;
  // The line feed that ends the last line begins no line.
  let searchEnd = Math.max(scan.start, size - scan.unit);
  while (searchEnd > scan.start) {
    const from = Math.max(scan.start, searchEnd - scan.buffer.length);
    const chunk = await readChunk(scan, from, searchEnd - from);
    let index = lastLineFeed(scan, chunk, chunk.length);
    while (index !== -1) {
      lines += 1;
      if (lines === wanted) return { position: from + index + scan.unit, lines };
      index = lastLineFeed(scan, chunk, index);
    }
    searchEnd = from;
  }
  return { position: scan.start, lines: size > scan.start ? lines + 1 : 0 };
}

async function readChunk(scan: LineScan, position: number, length: number): Promise<Buffer> {
  const chunk = scan.buffer.subarray(0, length);
  return chunk.subarray(0, await scan.file.readInto(chunk, position, scan.signal));
}

/** Offset in the chunk of the line after so many line feeds, and how many there were. */
function skipInChunk(
  { unit, lineFeed }: Pick<LineScan, 'unit' | 'lineFeed'>,
  chunk: Buffer,
  wanted: number,
): { end: number; lines: number } {
  let lines = 0;
  let end = 0;
  let from = 0;
  while (lines < wanted) {
    const at = unit === 1 ? chunk.indexOf(0x0a, from) : chunk.indexOf(lineFeed, from);
    if (at === -1) break;
    from = at + 1;
    if (at % unit !== 0) continue;
    lines += 1;
    end = at + unit;
    from = end;
  }
  return { end, lines };
}

/** The last line feed that begins before the index. */
function lastLineFeed({ unit, lineFeed }: LineScan, chunk: Buffer, before: number): number {
  let at = before;
  do {
    if (at === 0) return -1;
    at = unit === 1 ? chunk.lastIndexOf(0x0a, at - 1) : chunk.lastIndexOf(lineFeed, at - 1);
  } while (at > 0 && at % unit !== 0);
  return at;
}
