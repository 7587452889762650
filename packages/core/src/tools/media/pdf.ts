import { plural } from '@toolwright/machine/base/amounts.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { clipBytes } from '@toolwright/machine/base/truncate.js';
import { type PageRange, parsePageRanges, showPages } from './page-ranges.js';
import { pdfThread } from './pdf-thread.js';
import { runIsolated } from './run-isolated.js';

interface PdfPage {
  number: number;
  text: string;
  /** The document could be read, this page could not. */
  damaged: boolean;
}

export interface PdfText {
  total: number;
  /** The pages, at least one, in the order asked for. */
  pages: PdfPage[];
}

export interface PdfRequest {
  /** "1-5,8"; without it the first pages. */
  pages?: string | undefined;
  maxBytes: number;
  signal: AbortSignal;
  /** The memory that reading may take, in all. */
  memoryMb?: number | undefined;
}

export const MAX_PDF_FILE_BYTES = 64 * 1024 * 1024;
const DEFAULT_RANGES: PageRange[] = [[1, 20]];
const MAX_PAGES = 200;
const LIMIT_MS = 60_000;

type PdfAnswer = { kind: 'encrypted' } | { kind: 'damaged' } | ({ kind: 'read' } & PdfText);

/** The text of the pages asked for, as many as fit. */
export async function readPdf(bytes: Uint8Array, request: PdfRequest): Promise<PdfText> {
  const ranges = request.pages === undefined ? DEFAULT_RANGES : parsePageRanges(request.pages);
  if (typeof ranges === 'string') throw new ToolError('invalid_params', ranges);
  const answer = await runIsolated<PdfAnswer>({
    what: 'Reading the PDF',
    source: pdfThread,
    library: 'unpdf',
    data: { bytes, ranges, maxPages: MAX_PAGES, maxBytes: request.maxBytes },
    signal: request.signal,
    limitMs: LIMIT_MS,
    memoryMb: request.memoryMb,
  });
  if (answer.kind === 'encrypted') {
    throw new ToolError('failed', 'The PDF is protected by a password. Ask for a copy without one.');
  }
  if (answer.kind === 'damaged' || answer.total === 0) {
    throw new ToolError('failed', "The PDF is damaged or cut off and can't be read. Ask for an intact copy.");
  }
  if (answer.pages.length === 0) {
    throw new ToolError(
      'invalid_params',
      `pages: ${request.pages} lies past the end; the PDF has ${plural(answer.total, 'page')}.`,
    );
  }
  return { total: answer.total, pages: answer.pages };
}

/** Pages under headings, and a last line that says what there is beyond. */
export function showPdf({ total, pages }: PdfText, name: string, maxBytes: number): string {
  if (pages.every((page) => page.text === '')) return withoutText({ total, pages }, name);
  const shown = pages.map((page) => `--- page ${page.number} of ${total} ---\n${pageText(page, maxBytes)}`);
  return `${shown.join('\n\n')}${continuation(total, pages)}`;
}

function pageText(page: PdfPage, maxBytes: number): string {
  if (page.damaged) return '[This page is damaged.]';
  if (page.text === '') return '[No text on this page; it may be an image.]';
  const clipped = clipBytes(page.text, maxBytes);
  return clipped === page.text ? clipped : `${clipped}\n[The rest of this page is too long to show.]`;
}

function continuation(total: number, pages: readonly PdfPage[]): string {
  const last = pages.at(-1)?.number ?? 0;
  if (last >= total) return '';
  const next = Math.min(total, last + Math.max(1, pages.length));
  const range = next === last + 1 ? `${next}` : `${last + 1}-${next}`;
  return `\n\n[Pages ${showPages(pages.map((page) => page.number))} of ${total}. Read on with pages "${range}".]`;
}

function withoutText({ total, pages }: PdfText, name: string): string {
  const which =
    pages.length === total
      ? plural(total, 'page')
      : `pages ${showPages(pages.map((page) => page.number))} of ${total}`;
  return `[${name}: no text on ${which}. It is probably a scan; run OCR on it (for example ocrmypdf) and read the result.]`;
}
