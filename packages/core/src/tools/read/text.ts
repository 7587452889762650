import { formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { countLines } from '@toolwright/machine/base/truncate.js';
import type { OpenFile } from '@toolwright/machine/host/files/files.js';
import { farWindow, sniffEncoding } from './far-window.js';
import { lineFeedView, type TextWindow, windowNotice, windowOf } from './text-window.js';

export interface TextRequest {
  offset?: number | undefined;
  limit?: number | undefined;
  maxBytes: number;
}

export interface TextReading {
  window: TextWindow;
  /** Notice for the model beside the text; empty for the whole of a plain file. */
  notes: string[];
  encoding: string;
}

/** Two thousand lines hold nearly every source file; longer ones are better searched than read. */
const MAX_LINES = 2_000;

/** A window of a file in memory; null when the bytes are not text. */
export async function readWholeText(
  bytes: Uint8Array,
  shown: string,
  request: TextRequest,
): Promise<TextReading | null> {
  const decoded = await decodeText(bytes);
  if (!decoded) return null;
  const malformed = decoded.odd.filter((unit) => unit.malformed).length;
  const window = windowOf(wholeView(decoded.text), fullRequest(request));
  if (!window) throw pastEnd(shown, countLines(wholeView(decoded.text)), request);
  return {
    window,
    encoding: decoded.encoding,
    notes: [
      ...notesOn(window, bytes.length, decoded.encoding),
      ...malformedNote(malformed, decoded.encoding),
    ],
  };
}

/** A window of a file too long for memory; null when its beginning is not text. */
export async function readFarText(
  file: OpenFile,
  shown: string,
  request: TextRequest & { signal: AbortSignal },
): Promise<TextReading | null> {
  const encoding = await sniffEncoding(file, request.signal);
  if (!encoding) return null;
  const window = await farWindow(file, encoding, { ...fullRequest(request), signal: request.signal });
  if ('pastEndOf' in window) throw pastEnd(shown, window.pastEndOf, request);
  return { window, encoding: encoding.name, notes: notesOn(window, file.stat.size, encoding.name) };
}

function fullRequest({ offset = 0, limit = MAX_LINES, maxBytes }: TextRequest) {
  return { offset, limit: Math.min(limit, MAX_LINES), maxBytes };
}

/** Carriage returns are line ends only where there is no line feed at all. */
function wholeView(text: string): string {
  return text.includes('\r') && !text.includes('\n') ? text.replaceAll('\r', '\n') : lineFeedView(text);
}

function notesOn(window: TextWindow, fileBytes: number, encoding: string): string[] {
  const notice = windowNotice(window, fileBytes);
  const foreign =
    encoding === 'utf-8' ? '' : `[Decoded from ${encoding}; edit and write_file keep that encoding.]`;
  return [notice, foreign].filter((note) => note !== '');
}

function malformedNote(count: number, encoding: string): string[] {
  if (count === 0) return [];
  return [`[${plural(count, 'place')} with bytes that are not valid ${encoding}: shown as \uFFFD.]`];
}

function pastEnd(shown: string, lines: number, { offset = 0 }: TextRequest): ToolError {
  return new ToolError(
    'invalid_params',
    `${shown} has ${plural(lines, 'line')}; offset ${formatNumber(offset)} is past its end. Offsets count from 0; a negative one counts from the end.`,
  );
}
