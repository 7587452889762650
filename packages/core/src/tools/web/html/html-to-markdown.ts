import { setImmediate } from 'node:timers/promises';
import { joinBlocks, type PageBlock } from './block.js';
import { PageBuilder } from './page-builder.js';
import type { PageElement } from './page-element.js';

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

/** A narrower choice of blocks is taken when it holds this much text, or this share of the wider choice. */
const ENOUGH_CHARACTERS = 140;
const ENOUGH_SHARE = 0.3;
const BLOCKS_PER_SLICE = 20_000;

type Pause = () => Promise<void>;

interface Choice {
  blocks: readonly PageBlock[];
  length: number;
}

/** The blocks of the page's main content, without navigation, banners and side columns. */
async function mainContent(blocks: readonly PageBlock[], pause: Pause): Promise<readonly PageBlock[]> {
  const narrow = (choice: Choice, keep: (block: PageBlock) => boolean) => keepWhere(choice, keep, pause);
  const all = await narrow({ blocks, length: 0 }, () => true);
  const isSide = ({ element }: PageBlock): boolean =>
    element.aside || (element.suspect !== null && element.suspect.textLength <= all.length / 2);

  let chosen = enough(await narrow(all, (block) => !block.element.aside), all);
  const main = largest(chosen.blocks, (element) => element.main);
  if (main) chosen = enough(await narrow(chosen, (block) => block.element.main === main), chosen);
  chosen = enough(await narrow(chosen, (block) => !isSide(block)), chosen);
  if (!main) {
    const withoutMenus = await narrow(chosen, (block) => !isInMenu(block.element));
    if (withoutMenus.length >= 4 * ENOUGH_CHARACTERS) chosen = withoutMenus;
  }
  const article = largest(chosen.blocks, (element) => element.article);
  if (!article) return chosen.blocks;
  // A single article that is nearly everything stands for the whole.
  const inside = await narrow(chosen, (block) => block.element.article === article);
  return inside.length >= 0.6 * chosen.length ? inside.blocks : chosen.blocks;
}

async function keepWhere(choice: Choice, keep: (block: PageBlock) => boolean, pause: Pause): Promise<Choice> {
  const blocks: PageBlock[] = [];
  let length = 0;
  for (const [index, block] of choice.blocks.entries()) {
    if (index % BLOCKS_PER_SLICE === BLOCKS_PER_SLICE - 1) await pause();
    if (!keep(block)) continue;
    blocks.push(block);
    length += block.text.length;
  }
  return { blocks, length };
}

function enough(narrow: Choice, wide: Choice): Choice {
  const kept = narrow.length >= ENOUGH_CHARACTERS || narrow.length >= ENOUGH_SHARE * wide.length;
  return narrow.length > 0 && kept ? narrow : wide;
}

function largest(
  blocks: readonly PageBlock[],
  of: (element: PageElement) => PageElement | null,
): PageElement | null {
  let best: PageElement | null = null;
  for (const { element } of blocks) {
    const candidate = of(element);
    if (candidate && candidate.textLength > (best?.textLength ?? -1)) best = candidate;
  }
  return best;
}

/** The answer is stored on every element passed, so that all calls together walk the page once. */
function isInMenu(element: PageElement): boolean {
  const path: PageElement[] = [];
  let each: PageElement | null = element;
  while (each && each.inMenu === undefined && !each.menu) {
    path.push(each);
    each = each.parent;
  }
  const answer = each !== null && (each.menu || each.inMenu === true);
  for (const passed of path) passed.inMenu = answer;
  return answer;
}
