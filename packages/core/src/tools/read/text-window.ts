import { formatBytes, formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import { clipBytes } from '@toolwright/machine/base/truncate.js';

/** Lines asked for. A negative offset counts from the end. */
export interface WindowRequest {
  offset: number;
  limit: number;
  maxBytes: number;
}

/** A run of whole lines. */
export interface TextWindow {
  text: string;
  /** Number of the first line, from 0; null when it was counted from the end of a very long file. */
  firstLine: number | null;
  lineCount: number;
  /** Null when the file is too long to count. */
  totalLines: number | null;
  /** Line to continue at; null at the end of the file. */
  nextOffset: number | null;
  /** Lines that are longer than a whole window, so that only their beginning is shown. */
  clippedLines: number;
}

/** Bytes shown of a line longer than a whole window; nobody wrote it by hand. */
const CLIPPED_LINE_BYTES = 2_000;

/** Lines as tools show them: each ends with a line feed, the way edit matches them. */
export function lineFeedView(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

/** A window of a text that is wholly known. Null when it begins past the end. */
export function windowOf(text: string, request: WindowRequest): TextWindow | null {
  const starts = lineStarts(text);
  const totalLines = starts.length;
  const firstLine = request.offset < 0 ? Math.max(0, totalLines + request.offset) : request.offset;
  const start = starts[firstLine];
  if (start === undefined) return null;
  const taken = takeLines(text, start, request);
  const next = firstLine + taken.lineCount;
  return { ...taken, firstLine, totalLines, nextOffset: next < totalLines ? next : null };
}

export interface TakenLines {
  text: string;
  lineCount: number;
  clippedLines: number;
}

/** Takes as many lines as fit, at least one. */
export function takeLines(
  text: string,
  start: number,
  { limit, maxBytes }: Pick<WindowRequest, 'limit' | 'maxBytes'>,
): TakenLines {
  const pieces: string[] = [];
  let bytes = 0;
  let clippedLines = 0;
  let position = start;
  while (position < text.length && pieces.length < limit) {
    const lineFeed = text.indexOf('\n', position);
    const end = lineFeed === -1 ? text.length : lineFeed + 1;
    const line = text.slice(position, end);
    const isLong = end - position > maxBytes || Buffer.byteLength(line) > maxBytes;
    const shown = isLong ? clipLine(line, maxBytes) : line;
    bytes += Buffer.byteLength(shown);
    if (bytes > maxBytes && pieces.length > 0) break;
    if (isLong) clippedLines += 1;
    pieces.push(shown);
    position = end;
  }
  return { text: pieces.join(''), lineCount: pieces.length, clippedLines };
}

function clipLine(line: string, maxBytes: number): string {
  return `${clipBytes(line, Math.min(CLIPPED_LINE_BYTES, maxBytes >> 1))}…\n`;
}

function lineStarts(text: string): number[] {
  const starts: number[] = [];
  let position = 0;
  while (position < text.length) {
    starts.push(position);
    const lineFeed = text.indexOf('\n', position);
    position = lineFeed === -1 ? text.length : lineFeed + 1;
  }
  return starts;
}

/** The notice below a window that is not the whole file; empty when it is. */
export function windowNotice(window: TextWindow, fileBytes: number): string {
  const notes: string[] = [];
  if (window.nextOffset !== null || window.firstLine !== 0) {
    notes.push(`${shownLines(window, fileBytes)}.`);
    if (window.nextOffset !== null) notes.push(`Read on: read_file with offset ${window.nextOffset}.`);
  }
  if (window.clippedLines > 0) {
    const which =
      window.clippedLines === 1
        ? 'One line is too long and was'
        : `${window.clippedLines} lines are too long and were`;
    notes.push(`${which} cut at "…"; use grep_search for the rest.`);
  }
  return notes.length === 0 ? '' : `[${notes.join(' ')}]`;
}

function shownLines({ firstLine, lineCount, totalLines }: TextWindow, fileBytes: number): string {
  const total = totalLines === null ? `a file of ${formatBytes(fileBytes)}` : formatNumber(totalLines);
  if (firstLine === null) return `${plural(lineCount, 'line')} near the end of ${total}`;
  if (lineCount === 1) return `Line ${formatNumber(firstLine + 1)} of ${total}`;
  return `Lines ${formatNumber(firstLine + 1)}-${formatNumber(firstLine + lineCount)} of ${total}`;
}
