import { formatBytes, plural } from './amounts.js';
import { errorLines, type LinePlace } from './error-lines.js';

/** Cuts text to size, by bytes (UTF-8) and lines, never inside a character. Nothing else does. */

export interface Bounds {
  maxBytes: number;
  maxLines: number;
}

export interface Bounded {
  /** The text that is left, with a marker line wherever something was taken out of the middle. */
  text: string;
  truncated: boolean;
  totalLines: number;
  totalBytes: number;
  /** The part that is shown, worded for a notice: "the first 120 lines". */
  shown: string;
}

export interface HeadAndTailOptions {
  /** True to keep lines of the middle, too, that look like errors. */
  keepErrors?: boolean;
  /** Share of the bytes and lines for the head; the tail gets the rest. */
  headShare?: number;
  /** Size of the text, if it was counted already. */
  whole?: Size;
}

type Size = Pick<Bounded, 'totalLines' | 'totalBytes'>;

/** Room for "… 1,234,567,890 lines (1,023.9 MB) not shown …" and its line breaks. */
const MARKER_BYTES = 72;
const ERROR_SHARE = 0.2;
const SMALLEST_SPLIT = 512;

export function head(text: string, bounds: Bounds): Bounded {
  const end = endOfHead(text, bounds);
  return describe(text, text.slice(0, end), (lines) => `the first ${lines}`);
}

export function tail(text: string, bounds: Bounds): Bounded {
  const start = startOfTail(text, bounds);
  return describe(text, text.slice(start), (lines) => `the last ${lines}`);
}

/** The beginning and the end, where commands say what they do and how it went. */
export function headAndTail(text: string, bounds: Bounds, options: HeadAndTailOptions = {}): Bounded {
  if (fits(text, bounds)) return describe(text, text, (lines) => lines);
  if (bounds.maxBytes < SMALLEST_SPLIT || bounds.maxLines < 4) return tail(text, bounds);

  const errorShare = options.keepErrors ? ERROR_SHARE : 0;
  const room = { maxBytes: bounds.maxBytes - MARKER_BYTES, maxLines: bounds.maxLines - 1 };
  const outer = scale(room, 1 - errorShare);
  const first = scale(outer, options.headShare ?? 0.4);
  const last = { maxBytes: outer.maxBytes - first.maxBytes, maxLines: outer.maxLines - first.maxLines };
  const headEnd = endOfHead(text, first);
  const tailStart = Math.max(headEnd, startOfTail(text, last));
  const middle = text.slice(headEnd, tailStart);
  const inner = {
    maxBytes: room.maxBytes - outer.maxBytes,
    maxLines: room.maxLines - outer.maxLines,
  };
  const kept = options.keepErrors ? errorLinesWithin(middle, inner) : [];
  const headText = text.slice(0, headEnd);
  const tailText = text.slice(tailStart);
  const gap = headText === '' || headText.endsWith('\n') ? '' : '\n';
  const whole = options.whole ?? sizeOf(text);
  const [above, below] = [sizeOf(headText), sizeOf(tailText)];
  const between = {
    breaks: lineBreaks(text, whole) - lineBreaks(headText, above) - lineBreaks(tailText, below),
    bytes: whole.totalBytes - above.totalBytes - below.totalBytes,
  };
  const bounded = `${headText}${gap}${withMarkers(middle, kept, between)}${tailText}`;
  const errors =
    kept.length === 0 ? '' : `, and ${plural(kept.length, 'line')} between that look like errors`;
  return {
    text: bounded,
    truncated: true,
    totalLines: whole.totalLines,
    totalBytes: whole.totalBytes,
    shown: `the first ${plural(above.totalLines, 'line')} and the last ${plural(below.totalLines, 'line')}${errors}`,
  };
}

/** The notice for the model after cut text: how much there is and how to get the rest. */
export function boundedNotice(bounded: Bounded, savedAs?: string): string {
  if (!bounded.truncated) return '';
  const size = `${plural(bounded.totalLines, 'line')} (${formatBytes(bounded.totalBytes)})`;
  const rest =
    savedAs === undefined
      ? 'The rest was not kept: narrow the request to see it.'
      : `The rest is in ${savedAs}: read it with read_file (offset, limit) or search it with grep_search.`;
  return `[Output cut: ${bounded.shown} of ${size} shown. ${rest}]`;
}

function fits(text: string, bounds: Bounds): boolean {
  return fitsBytes(text, bounds.maxBytes) && countLines(text) <= bounds.maxLines;
}

function fitsBytes(text: string, maxBytes: number): boolean {
  return text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;
}

/** The longest beginning of at most `maxBytes` that ends between characters. */
export function clipBytes(text: string, maxBytes: number): string {
  return text.slice(0, endOfBytes(text, maxBytes));
}

/** The longest ending of at most `maxBytes` that starts between characters. */
export function clipBytesFromEnd(text: string, maxBytes: number): string {
  return text.slice(startOfBytes(text, maxBytes));
}

/** Counts lines; a last line without a newline counts. */
export function countLines(text: string): number {
  let lines = 0;
  let at = text.indexOf('\n');
  let end = 0;
  while (at !== -1) {
    lines += 1;
    end = at + 1;
    at = text.indexOf('\n', end);
  }
  return end < text.length ? lines + 1 : lines;
}

function sizeOf(text: string): Size {
  return { totalLines: countLines(text), totalBytes: Buffer.byteLength(text) };
}

function lineBreaks(text: string, { totalLines }: Size): number {
  return text === '' || text.endsWith('\n') ? totalLines : totalLines - 1;
}

function describe(whole: string, left: string, words: (lines: string) => string): Bounded {
  const truncated = left.length < whole.length;
  const lines = plural(countLines(left), 'line');
  return {
    text: left,
    truncated,
    totalLines: countLines(whole),
    totalBytes: Buffer.byteLength(whole),
    shown: truncated ? words(lines) : lines,
  };
}

function scale(bounds: Bounds, share: number): Bounds {
  return { maxBytes: Math.floor(bounds.maxBytes * share), maxLines: Math.floor(bounds.maxLines * share) };
}

function endOfHead(text: string, bounds: Bounds): number {
  const byBytes = endOfBytes(text, bounds.maxBytes);
  let end = 0;
  for (let lines = 0; lines < bounds.maxLines; lines += 1) {
    const at = text.indexOf('\n', end);
    if (at === -1 || at >= byBytes) return lineBorderIfNear(end, byBytes, text.length);
    end = at + 1;
  }
  return end;
}

function startOfTail(text: string, bounds: Bounds): number {
  if (bounds.maxLines === 0) return text.length;
  const byBytes = startOfBytes(text, bounds.maxBytes);
  let start = text.length;
  for (let lines = 0; lines < bounds.maxLines; lines += 1) {
    const at = start < 2 ? -1 : text.lastIndexOf('\n', start - 2);
    if (at + 1 < byBytes) {
      const distance = lineBorderIfNear(text.length - start, text.length - byBytes, text.length);
      return text.length - distance;
    }
    start = at + 1;
    if (start === 0) break;
  }
  return start;
}

/** Cuts at a line border, unless that would leave more than half of the room empty: then a very long line is cut. */
function lineBorderIfNear(border: number, limit: number, length: number): number {
  return limit === length || border < limit / 2 ? limit : border;
}

function endOfBytes(text: string, maxBytes: number): number {
  if (fitsBytes(text, maxBytes)) return text.length;
  const end = Math.min(text.length, Math.max(0, Math.floor(maxBytes)));
  if (isOneBytePerCharacter(text.slice(0, end))) return end;
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const point = text.codePointAt(index)!;
    bytes += utf8Length(point);
    if (bytes > maxBytes) break;
    index += point > 0xffff ? 2 : 1;
  }
  return index;
}

function startOfBytes(text: string, maxBytes: number): number {
  if (fitsBytes(text, maxBytes)) return 0;
  const start = Math.max(0, text.length - Math.max(0, Math.floor(maxBytes)));
  if (isOneBytePerCharacter(text.slice(start))) return start;
  let bytes = 0;
  let index = text.length;
  while (index > 0) {
    const pair = index >= 2 && text.codePointAt(index - 2)! > 0xffff;
    const step = pair ? 2 : 1;
    bytes += utf8Length(text.codePointAt(index - step)!);
    if (bytes > maxBytes) break;
    index -= step;
  }
  return index;
}

function isOneBytePerCharacter(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function utf8Length(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** Lines that look like errors, the first ones first: later ones are often only their consequence. Each needs a marker. */
function errorLinesWithin(middle: string, { maxBytes, maxLines }: Bounds): LinePlace[] {
  let room = maxBytes;
  return errorLines(middle, Math.floor(maxLines / 2)).filter(({ start, end }) => {
    room -= Buffer.byteLength(middle.slice(start, end)) + MARKER_BYTES;
    return room >= 0;
  });
}

interface Amount {
  breaks: number;
  bytes: number;
}

/**
 * The middle with a marker for every gap. `left` is the size of the middle; the gap behind the last kept line takes
 * the remainder, without counting.
 */
function withMarkers(middle: string, kept: LinePlace[], left: Amount): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of kept) {
    const [before, line] = [middle.slice(from, start), middle.slice(start, end)];
    const [skipped, shown] = [amountOf(before), amountOf(line)];
    if (before !== '') pieces.push(marker(before, skipped));
    pieces.push(line);
    left = {
      breaks: left.breaks - skipped.breaks - shown.breaks,
      bytes: left.bytes - skipped.bytes - shown.bytes,
    };
    from = end;
  }
  if (from < middle.length) pieces.push(marker(middle, left));
  return pieces.join('');
}

function amountOf(text: string): Amount {
  const size = sizeOf(text);
  return { breaks: lineBreaks(text, size), bytes: size.totalBytes };
}

function marker(left: string, { breaks, bytes }: Amount): string {
  const lines = left.endsWith('\n') ? breaks : breaks + 1;
  return `… ${plural(lines, 'line')} (${formatBytes(bytes)}) not shown …\n`;
}
