/** The only place of a large file where a text stands: the lines around it, so that the rest need not be decoded. */
export interface ExactExcerpt {
  /** Range of bytes, whole lines. */
  start: number;
  end: number;
  text: string;
  linesBefore: number;
}

const SMALLEST_FILE = 256 * 1024;
const LARGEST_EXCERPT = 256 * 1024;
/** More than a diff or a report shows around a change. */
const LINES_AROUND = 8;
const COUNTED_AT_ONCE = 65_536;
const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Saves a sixth of an edit in a file of 5 MB: 56 ms of processor time against 66 (`npm run bench edit`).
 *
 * For valid UTF-8 without carriage returns, whose characters are where their bytes are: there an exact match in the
 * bytes is what a search in the text would find first. Null where the text has to be looked at.
 */
export function findExactExcerpt(
  content: { bytes: Uint8Array; bomLength: number },
  wanted: string,
): ExactExcerpt | null {
  const { bytes, bomLength } = content;
  if (bytes.byteLength < SMALLEST_FILE || bytes.includes(CARRIAGE_RETURN)) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const needle = Buffer.from(wanted);
  // Half a character would turn into another one.
  if (needle.toString() !== wanted) return null;
  const at = buffer.indexOf(needle, bomLength);
  if (at === -1 || buffer.indexOf(needle, at + 1) !== -1) return null;
  const start = Math.max(bomLength, linesBack(buffer, at));
  const end = linesOn(buffer, at + needle.length);
  if (end - start > LARGEST_EXCERPT) return null;
  return { start, end, text: buffer.toString('utf8', start, end), linesBefore: countLines(buffer, start) };
}

/** Start of the line some lines before the one that holds the offset. */
function linesBack(buffer: Buffer, offset: number): number {
  let start = offset;
  for (let lines = 0; lines <= LINES_AROUND && start > 0; lines++) {
    const before = lines === 0 ? start - 1 : start - 2;
    start = before < 0 ? 0 : buffer.lastIndexOf(NEWLINE, before) + 1;
  }
  return start;
}

function linesOn(buffer: Buffer, offset: number): number {
  let end = offset;
  for (let lines = 0; lines <= LINES_AROUND && end < buffer.length; lines++) {
    const newline = buffer.indexOf(NEWLINE, end);
    end = newline === -1 ? buffer.length : newline + 1;
  }
  return end;
}

/** In pieces of text, because searching a string for a character is many times faster than looking at each byte. */
function countLines(buffer: Buffer, end: number): number {
  let count = 0;
  for (let from = 0; from < end; from += COUNTED_AT_ONCE) {
    const piece = buffer.toString('latin1', from, Math.min(end, from + COUNTED_AT_ONCE));
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) count++;
  }
  return count;
}
