import { setImmediate } from 'node:timers/promises';
import { joinBlocks } from './block.js';
import { mainContent } from './main-content.js';
import { PageBuilder } from './page-builder.js';

export interface MarkdownPage {
  title: string;
  markdown: string;
  /** URL the page redirects its reader to by itself; empty when it does not. */
  refresh: string;
}

export interface HtmlOptions {
  /** URL of the page: links are made absolute against it. */
  url: string;
  signal?: AbortSignal;
}

/** Bytes of HTML parsed at once: a slice takes a few milliseconds, whatever it holds. */
const SLICE = 8 * 1024;
/** The parser's work per tag grows with its depth; deeper than this, it starts afresh. */
const DEEPEST = 500;
const PIECES_PER_SLICE = 500;

/** The main content of a page as Markdown. Lets the event loop run between slices, however large the page. */
export async function htmlToMarkdown(html: string, options: HtmlOptions): Promise<MarkdownPage> {
  const { Parser } = await import('htmlparser2');
  const builder = new PageBuilder(options.url, html.length);
  const handler = {
    onopentag: (name: string, attributes: Record<string, string>) => builder.openTag(name, attributes),
    ontext: (text: string) => builder.text(text),
    onclosetag: () => builder.closeTag(),
  };
  let parser = new Parser(handler);
  for (let start = 0, end = 0; start < html.length; start = end) {
    end = sliceEnd(html, start);
    parser.write(html.slice(start, end));
    if (builder.depth > (builder.inRawText ? 2 : 1) * DEEPEST) {
      parser.end();
      parser = new Parser(handler);
    }
    await pause(options.signal);
  }
  parser.end();
  const { blocks, title, refresh } = builder.finish();
  const chosen = await mainContent(blocks, () => pause(options.signal));
  const pieces: string[] = [];
  for (const piece of joinBlocks(chosen)) {
    pieces.push(piece);
    if (pieces.length % PIECES_PER_SLICE === 0) await pause(options.signal);
  }
  return { title, markdown: pieces.join(''), refresh };
}

/** End of the next slice: after a tag if there is one, so that a parser can start afresh there. */
function sliceEnd(html: string, start: number): number {
  if (start + SLICE >= html.length) return html.length;
  const afterTag = html.lastIndexOf('>', start + SLICE - 1) + 1;
  return afterTag > start ? afterTag : start + SLICE;
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
