import { basename } from 'node:path';
import { formatBytes, formatNumber, plural } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import { countLines } from '@toolwright/machine/base/truncate.js';
import type { Files, OpenFile } from '@toolwright/machine/host/files/files.js';
import { type FileType, SIGNATURE_BYTES, typeByContent } from '../media/file-type.js';
import type { ScriptValue } from '../tools.js';
import { farWindow, sniffEncoding } from './far-window.js';
import type { ContentRequest, FileReading } from './file-reading.js';
import { lineFeedView, type TextWindow, windowNotice, windowOf } from './text-window.js';

/** Up to here a file is read at once: decoding is then exact, and counting lines costs nothing. */
const WHOLE_BYTES = 8 * 1024 * 1024;

/** Any file as what a model can use: text, an image, pages, audio, or one line that says what it is. */
export async function readContent(files: Files, request: ContentRequest): Promise<FileReading> {
  const size = request.size ?? (await files.stat(request.path))?.size ?? 0;
  if (size > WHOLE_BYTES) return readLong(files, request);
  const content = await files.read(request.path, { signal: request.signal });
  const { realPath, hash, bytes } = content;
  return { ...(await readShort(bytes, request)), version: { realPath, hash, bytes } };
}

async function readShort(bytes: Uint8Array, request: ContentRequest): Promise<FileReading> {
  const type = typeByContent(bytes.subarray(0, SIGNATURE_BYTES), basename(request.path));
  if (!type) return readUntyped(bytes, request);
  const { mediaLimit, readMedia } = await import('./media.js');
  const wanted = mediaLimit(type) !== null && request.withMedia !== false;
  return wanted ? readMedia(type, bytes, request) : describeBinary(type, bytes.length, request.shown);
}

async function readLong(files: Files, request: ContentRequest): Promise<FileReading> {
  const file = await files.open(request.path, request.signal);
  const version = { realPath: file.realPath };
  try {
    const head = await file.read(0, SIGNATURE_BYTES, request.signal);
    const type = typeByContent(head, basename(request.path));
    if (type) return { ...(await readLongTyped(type, file.stat.size, { files, request })), version };
    const text = await readFarText(file, request.shown, request);
    return text
      ? { ...textReading(text), version, forScript: forScript(text, request) }
      : describeBinary(null, file.stat.size, request.shown);
  } finally {
    await file.close();
  }
}

async function readLongTyped(
  type: FileType,
  size: number,
  { files, request }: { files: Files; request: ContentRequest },
): Promise<FileReading> {
  const { mediaLimit, readMedia, tooLargeMedia } = await import('./media.js');
  const maxBytes = mediaLimit(type);
  if (maxBytes === null || request.withMedia === false) return describeBinary(type, size, request.shown);
  if (size > maxBytes) throw tooLargeMedia(type, size, request.shown);
  const { bytes } = await files.read(request.path, { maxBytes, signal: request.signal });
  return readMedia(type, bytes, request);
}

async function readUntyped(bytes: Uint8Array, request: ContentRequest): Promise<FileReading> {
  if (bytes.length === 0) {
    const parts = [{ text: `[${request.shown} is empty.]` }];
    return { kind: 'text', parts, summary: 'empty', forScript: { value: '' } };
  }
  const notes: string[] = [];
  if (/\.ipynb$/i.test(request.path) && request.offset === undefined && request.limit === undefined) {
    const notebook = await readAsNotebook(bytes, request);
    if (notebook) return notebook;
    notes.push('[This is not a valid notebook, so it is shown as text.]');
  }
  const text = await readWholeText(bytes, request.shown, request);
  if (!text) return describeBinary(null, bytes.length, request.shown);
  return {
    ...textReading({ ...text, notes: [...text.notes, ...notes] }),
    forScript: forScript(text, request),
  };
}

async function readAsNotebook(bytes: Uint8Array, request: ContentRequest): Promise<FileReading | null> {
  const { readNotebook } = await import('./notebook.js');
  const text = Buffer.from(bytes).toString('utf8');
  return readNotebook(text.replace(/^\uFEFF/, ''), request);
}

/** A script gets the whole text where it asks for no part, and never takes a part for the whole. */
function forScript({ window, whole }: TextReading, { offset, limit, shown }: ContentRequest): ScriptValue {
  if (whole !== undefined && offset === undefined && limit === undefined) return { value: whole };
  const isCut = window.nextOffset !== null && (limit === undefined || window.lineCount < limit);
  const next = `This is the text of ${shown} up to offset ${window.nextOffset}. Ask for parts of it with offset and limit.`;
  return { value: window.text, incomplete: isCut ? next : undefined };
}

function textReading({ window, notes, encoding }: TextReading): FileReading {
  const separator = notes.length === 0 || window.text.endsWith('\n') ? '' : '\n';
  return {
    kind: 'text',
    parts: [{ text: `${window.text}${separator}${notes.join('\n')}` }],
    summary: `${linesShown(window)}${encoding === 'utf-8' ? '' : `, ${encoding}`}`,
  };
}

function linesShown({ firstLine, lineCount, totalLines, nextOffset }: TextReading['window']): string {
  if (firstLine === 0 && nextOffset === null) return plural(lineCount, 'line');
  if (firstLine === null) return `${plural(lineCount, 'line')} near the end`;
  const range = `lines ${formatNumber(firstLine + 1)}-${formatNumber(firstLine + lineCount)}`;
  return totalLines === null ? range : `${range} of ${formatNumber(totalLines)}`;
}

function describeBinary(type: FileType | null, size: number, shown: string): FileReading {
  const label = type?.label ?? 'binary data';
  const look =
    type?.look?.replace('FILE', quoted(shown)) ?? `file ${quoted(shown)}; xxd ${quoted(shown)} | head`;
  const summary = `${label}, ${formatBytes(size)}`;
  const text = `[${shown} is not text: ${summary}. A program that looks inside: ${look}]`;
  return { kind: 'binary', parts: [{ text }], summary };
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

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
  /** The whole text, where it is in memory. */
  whole?: string;
}

/** Two thousand lines hold nearly every source file; longer ones are better searched than read. */
const MAX_LINES = 2_000;

/** A window of a file in memory; null when the bytes are not text. */
async function readWholeText(
  bytes: Uint8Array,
  shown: string,
  request: TextRequest,
): Promise<TextReading | null> {
  const decoded = await decodeText(bytes);
  if (!decoded) return null;
  const malformed = decoded.odd.filter((unit) => unit.malformed).length;
  const whole = wholeView(decoded.text);
  const window = windowOf(whole, fullRequest(request));
  if (!window) throw pastEnd(shown, countLines(whole), request);
  return {
    window,
    whole,
    encoding: decoded.encoding,
    notes: [
      ...notesOn(window, bytes.length, decoded.encoding),
      ...malformedNote(malformed, decoded.encoding),
    ],
  };
}

/** A window of a file too long for memory; null when its beginning is not text. */
async function readFarText(
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
  const foreign = encoding === 'utf-8' ? '' : `[Decoded from ${encoding}; changes keep that encoding.]`;
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
