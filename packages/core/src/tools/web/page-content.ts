import { setImmediate } from 'node:timers/promises';
import { formatBytes, plural } from '@toolwright/machine/base/amounts.js';
import type { Part } from '@toolwright/machine/base/content.js';
import { isToolError } from '@toolwright/machine/base/errors.js';
import { decodeText } from '@toolwright/machine/base/text-codec.js';
import type { FetchedPage } from '@toolwright/machine/host/web/guarded-http.js';
import { type FileType, SIGNATURE_BYTES, typeByContent } from '../media/file-type.js';

/** The content of a fetched page, as a model can take it. */
export type PageContent =
  | {
      kind: 'text';
      title: string;
      text: string;
      format: 'markdown' | 'text';
      note: string;
      /** There is more in the file than in its text. */
      keepOriginal: boolean;
    }
  | { kind: 'image'; part: Part; summary: string }
  | { kind: 'binary'; label: string; note: string };

const MAX_PDF_TEXT = 4 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;

export async function pageContent(page: FetchedPage, signal: AbortSignal): Promise<PageContent> {
  const type = typeByContent(page.bytes.subarray(0, SIGNATURE_BYTES), new URL(page.url).pathname);
  if (type?.family === 'image') return await imageContent(page, type, signal);
  if (type?.family === 'pdf') return await pdfContent(page, signal);
  if (type) return { kind: 'binary', label: type.label, note: '' };
  const declared = mimeTypeOf(page);
  if (!(await isText(page, declared))) return { kind: 'binary', label: declared || 'binary data', note: '' };
  return await textContent(page, declared, signal);
}

export function mimeTypeOf(page: FetchedPage): string {
  return (page.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
}

async function textContent(page: FetchedPage, declared: string, signal: AbortSignal): Promise<PageContent> {
  const { decodePage } = await import('./html/page-charset.js');
  const { text } = await decodePage(page.bytes, page.headers['content-type']);
  await setImmediate();
  const options = { url: page.url, signal };
  if (isMarkup(declared, text, 'xml')) {
    const { feedToMarkdown, isFeed } = await import('./html/feed-to-markdown.js');
    if (isFeed(text)) return markdown(await feedToMarkdown(text, options));
  }
  if (isMarkup(declared, text, 'html')) {
    const { htmlToMarkdown } = await import('./html/html-to-markdown.js');
    return markdown(await htmlToMarkdown(text, options));
  }
  const format = declared === 'text/markdown' ? 'markdown' : 'text';
  return { kind: 'text', title: '', text, format, note: '', keepOriginal: false };
}

function markdown(page: { title: string; markdown: string; refresh: string }): PageContent {
  const forwards = page.refresh === '' ? '' : `The page redirects to ${page.refresh}.`;
  return {
    kind: 'text',
    title: page.title,
    text: page.markdown,
    format: 'markdown',
    note: forwards,
    keepOriginal: false,
  };
}

function isMarkup(declared: string, text: string, kind: 'html' | 'xml'): boolean {
  if (kind === 'xml')
    return /(^|[/+])xml$/.test(declared) || (declared === '' && /^\s*<\?xml/.test(text.slice(0, 500)));
  if (declared === 'text/html' || declared === 'application/xhtml+xml') return true;
  return (
    declared === '' &&
    /^\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 2000))
  );
}

async function isText(page: FetchedPage, declared: string): Promise<boolean> {
  if (
    /^text\/|[/+](json|xml|javascript|ecmascript|yaml|toml|x-sh|sql|csv)$|^application\/(x-)?(ndjson|jsonl|xhtml)/.test(
      declared,
    )
  )
    return true;
  return (await decodeText(page.bytes.subarray(0, SAMPLE_BYTES))) !== null;
}

async function imageContent(page: FetchedPage, type: FileType, signal: AbortSignal): Promise<PageContent> {
  const { prepareImage, showSize } = await import('../media/image.js');
  try {
    const image = await prepareImage(page.bytes, type, signal);
    const changes = image.changes === '' ? '' : `, ${image.changes}`;
    const data = Buffer.from(image.bytes).toString('base64');
    return {
      kind: 'image',
      part: { inlineData: { mimeType: image.mimeType, data } },
      summary: `${type.label}, ${showSize(image.original)}, ${formatBytes(page.bytes.length)}${changes}`,
    };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { kind: 'binary', label: type.label, note: error.message };
  }
}

async function pdfContent(page: FetchedPage, signal: AbortSignal): Promise<PageContent> {
  const { readPdf, showPdf } = await import('../media/pdf.js');
  try {
    const read = await readPdf(page.bytes, { maxBytes: MAX_PDF_TEXT, signal });
    if (read.pages.every(({ text }) => text === '')) {
      return { kind: 'binary', label: 'PDF document', note: 'It holds no text; it is probably a scan.' };
    }
    const keepOriginal = read.pages.length < read.total;
    const part = keepOriginal ? `, of which the first ${read.pages.length} are given` : '';
    return {
      kind: 'text',
      title: '',
      text: showPdf({ total: read.total, pages: read.pages }, page.url, MAX_PDF_TEXT),
      format: 'text',
      note: `It is a PDF document of ${plural(read.total, 'page')}${part}.`,
      keepOriginal,
    };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { kind: 'binary', label: 'PDF document', note: error.message };
  }
}
