import type { OpenFile } from '@toolwright/machine/host/files/files.js';

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

export function lineScan(
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
export async function skipLines(scan: LineScan, from: number, wanted: number): Promise<SkippedLines> {
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
export async function countLinesBefore(scan: LineScan, end: number): Promise<number> {
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
export async function skipLinesFromEnd(scan: LineScan, wanted: number): Promise<SkippedLines> {
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
export function skipInChunk(
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
