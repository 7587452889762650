import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import { isToolError, ToolError } from '@toolwright/machine/base/errors.js';
import type { FileType } from '../media/file-type.js';
import { MAX_IMAGE_FILE_BYTES, prepareImage, showSize } from '../media/image.js';
import { showPages } from '../media/page-ranges.js';
import { MAX_PDF_FILE_BYTES, readPdf, showPdf } from '../media/pdf.js';
import { type ContentRequest, type FileReading, inlinePart } from './file-reading.js';

/** In base64 still below what every provider accepts in one request. */
const MAX_INLINE_BYTES = 10 * 1024 * 1024;
/** Providers that take PDF files refuse longer ones. */
const MAX_INLINE_PAGES = 100;

const fileLimits: Partial<Record<FileType['family'], number>> = {
  image: MAX_IMAGE_FILE_BYTES,
  pdf: MAX_PDF_FILE_BYTES,
  audio: MAX_INLINE_BYTES,
};

const smallerCopy: Partial<Record<FileType['family'], string>> = {
  image: 'Make a smaller copy (for example with ImageMagick) and read that.',
  pdf: 'Split it (for example with qpdf or pdftotext) and read a part.',
  audio: 'Cut out or compress a part (for example with ffmpeg) and read that.',
};

/** The largest file of this kind that is read, or null when its content is of no use to a model. */
export function mediaLimit(type: FileType): number | null {
  return fileLimits[type.family] ?? null;
}

export function tooLargeMedia(type: FileType, size: number, shown: string): ToolError {
  const limit = formatBytes(mediaLimit(type) ?? 0);
  const message = `${shown} is a ${type.label} of ${formatBytes(size)}; at most ${limit} can be read. ${smallerCopy[type.family] ?? ''}`;
  return new ToolError('too_large', message.trimEnd());
}

export async function readMedia(
  type: FileType,
  bytes: Uint8Array,
  request: ContentRequest,
): Promise<FileReading> {
  if (bytes.length > (mediaLimit(type) ?? 0)) throw tooLargeMedia(type, bytes.length, request.shown);
  try {
    if (type.family === 'image') return await readImage(type, bytes, request);
    return type.family === 'pdf' ? await readPdfFile(type, bytes, request) : readAudio(type, bytes, request);
  } catch (error) {
    if (isToolError(error)) throw new ToolError(error.code, `${request.shown}: ${error.message}`);
    throw error;
  }
}

async function readImage(type: FileType, bytes: Uint8Array, request: ContentRequest): Promise<FileReading> {
  const image = await prepareImage(bytes, type, request.signal);
  const { width, height } = image.original;
  const changes = image.changes === '' ? '' : `, ${image.changes}`;
  const summary = `${type.label}, ${showSize({ width, height })}, ${formatBytes(bytes.length)}${changes}`;
  return {
    kind: 'media',
    parts: [{ text: `[${request.shown}: ${summary}]` }, inlinePart(image.mimeType, image.bytes)],
    summary,
  };
}

async function readPdfFile(type: FileType, bytes: Uint8Array, request: ContentRequest): Promise<FileReading> {
  const { maxBytes, pages, signal } = request;
  const wholeFile = request.pdfAsFile && pages === undefined && bytes.length <= MAX_INLINE_BYTES;
  const read = await readPdf(bytes, { pages, maxBytes, signal });
  const size = `PDF document, ${plural(read.total, 'page')}, ${formatBytes(bytes.length)}`;
  if (wholeFile && read.total <= MAX_INLINE_PAGES) {
    const parts = [{ text: `[${request.shown}: ${size}]` }, inlinePart(type.mimeType, bytes)];
    return { kind: 'media', parts, summary: size };
  }
  const text = showPdf(read, request.shown, maxBytes);
  const shown = showPages(read.pages.map((page) => page.number));
  return { kind: 'media', parts: [{ text }], summary: `${size}, text of page ${shown}` };
}

function readAudio(type: FileType, bytes: Uint8Array, request: ContentRequest): FileReading {
  const summary = `${type.label}, ${formatBytes(bytes.length)}`;
  const parts = [{ text: `[${request.shown}: ${summary}]` }, inlinePart(type.mimeType, bytes)];
  return { kind: 'media', parts, summary };
}
