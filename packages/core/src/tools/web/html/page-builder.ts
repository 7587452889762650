import { type Indent, OutputBudget, type PageBlock } from './block.js';
import { BlockWriter } from './block-writer.js';
import { codeBlock, inlineCode, type Mark } from './inline-text.js';
import { type Attributes, closeElement, describeElement, type PageElement } from './page-element.js';

const blockNames = new Set(
  (
    'p div section article main header footer nav aside figure figcaption address fieldset form details hgroup ' +
    'center body tbody thead tfoot noscript legend ul ol menu dl h1 h2 h3 h4 h5 h6 li dd dt blockquote summary ' +
    'pre hr table caption tr td th'
  ).split(' '),
);
const markPairs: Readonly<Record<string, readonly [open: string, close: string]>> = {
  strong: ['**', '**'],
  b: ['**', '**'],
  dt: ['**', '**'],
  summary: ['**', '**'],
  em: ['*', '*'],
  i: ['*', '*'],
  del: ['~~', '~~'],
  s: ['~~', '~~'],
  strike: ['~~', '~~'],
  q: ['"', '"'],
  sup: ['^', ''],
  rt: ['(', ')'],
};
const codeNames = new Set(['code', 'kbd', 'samp', 'tt']);
const tableNames = new Set(['table', 'caption', 'tr', 'td', 'th']);
const listNames = new Set(['ul', 'ol', 'menu']);
const rawTextNames = new Set('script style title textarea xmp iframe noembed noframes plaintext'.split(' '));

interface OpenElement extends PageElement {
  mark?: Mark;
  frame?: Indent | undefined;
}

export interface Page {
  title: string;
  blocks: PageBlock[];
  /** URL the page redirects its reader to by itself. */
  refresh: string;
}

/** Turns the events of an HTML parser into blocks of Markdown. */
export class PageBuilder {
  readonly #links: LinkResolver;
  readonly #writer: BlockWriter;
  /** Holds the text of fragments that stands in no element. */
  readonly #root: OpenElement = describeElement('', {}, null);
  readonly #stack: OpenElement[] = [];
  #code: string | null = null;
  #pre: { text: string; language: string } | null = null;
  #math: string | null = null;
  #title = '';

  constructor(url: string, size: number) {
    const budget = new OutputBudget(size);
    this.#links = new LinkResolver(url, budget);
    this.#writer = new BlockWriter(budget);
  }

  get depth(): number {
    return this.#stack.length;
  }

  /** True inside elements such as `script`, where the parser looks for nothing but their end tag. */
  get inRawText(): boolean {
    return rawTextNames.has(this.#top.name);
  }

  openTag(name: string, attributes: Attributes): void {
    if (blockNames.has(name)) this.#boundary();
    const element: OpenElement = describeElement(name, attributes, this.#top);
    this.#stack.push(element);
    if (!element.skipped) this.#begin(element, attributes);
  }

  text(text: string): void {
    const element = this.#top;
    if (element.name === 'title' && !element.skipped) this.#title += text;
    else if (element.name === 'annotation' && this.#math !== null) this.#math += text;
    else if (element.skipped || this.#math !== null || element.name === 'head') return;
    else if (this.#pre) this.#pre.text += text;
    else if (this.#code !== null) this.#code += text;
    else this.#writer.text(text, element);
  }

  closeTag(): void {
    const element = this.#stack.at(-1);
    if (!element) return;
    if (!element.skipped) this.#end(element);
    this.#stack.pop();
    closeElement(element);
  }

  finish(): Page {
    while (this.#stack.length > 0) this.closeTag();
    this.#writer.flush(this.#root);
    return {
      title: (this.#title.replace(/\s+/g, ' ').trim() || this.#writer.firstHeading).slice(0, 300),
      blocks: this.#writer.blocks,
      refresh: this.#links.refresh,
    };
  }

  get #top(): OpenElement {
    return this.#stack.at(-1) ?? this.#root;
  }

  #begin(element: OpenElement, attributes: Attributes): void {
    const { name } = element;
    if (this.#pre) this.#beginInPre(element);
    else if (/^h[1-6]$/.test(name)) this.#writer.heading = Number(name[1]);
    else if (name in markPairs) this.#openMark(element);
    else if (codeNames.has(name)) this.#code ??= '';
    else if (listNames.has(name)) this.#writer.openList(name === 'ol', attributes);
    else if (tableNames.has(name)) this.#writer.beginTable(name, attributes);
    else this.#beginOther(element, attributes);
  }

  #beginInPre(element: OpenElement): void {
    if (!this.#pre) return;
    if (element.name === 'code') this.#pre.language ||= element.language;
    else if (element.name === 'br') this.#pre.text += '\n';
  }

  #beginOther(element: OpenElement, attributes: Attributes): void {
    switch (element.name) {
      case 'a':
        this.#openLink(element, attributes);
        return;
      case 'li':
        this.#endOpenItem();
        element.frame = this.#writer.openItem(attributes);
        return;
      case 'blockquote':
        element.frame = this.#writer.openFrame({ first: '> ', rest: '> ', list: null });
        return;
      case 'dd':
        element.frame = this.#writer.openFrame({ first: ': ', rest: '  ', list: null });
        return;
      case 'pre':
        this.#pre = { text: '', language: languageAround(element) };
        return;
      case 'math':
        this.#math = '';
        return;
      default:
        this.#beginVoid(element, attributes);
    }
  }

  #beginVoid(element: OpenElement, attributes: Attributes): void {
    const { inline } = this.#writer;
    switch (element.name) {
      case 'br':
        if (this.#writer.heading > 0 || this.#writer.inTable) inline.add(' ');
        else inline.lineBreak();
        return;
      case 'hr':
        this.#writer.push('text', '---', element);
        return;
      case 'img': {
        const image = this.#links.image(attributes);
        if (image !== '' && this.#code === null) inline.addRaw(image);
        return;
      }
      case 'input':
        if (attributes['type'] === 'checkbox') inline.add('checked' in attributes ? '[x] ' : '[ ] ');
        return;
      case 'base':
        this.#links.setBase(attributes['href']);
        return;
      case 'meta':
        this.#links.noteRefresh(attributes);
    }
  }

  #end(element: OpenElement): void {
    const { name } = element;
    if (element.mark) this.#writer.inline.close(element.mark);
    if (this.#pre) {
      this.#endInPre(this.#pre, element);
      return;
    }
    if (codeNames.has(name)) this.#endCode();
    if (name === 'math') this.#endMath();
    if (blockNames.has(name)) this.#boundary();
    if (/^h[1-6]$/.test(name)) this.#writer.heading = 0;
    if (listNames.has(name)) this.#writer.closeList();
    if (tableNames.has(name)) this.#writer.endTable(name, element);
    if (element.frame) this.#writer.closeFrame(element.frame);
  }

  #openMark(element: OpenElement): void {
    const [open, close] = markPairs[element.name] ?? ['', ''];
    const { inline, heading } = this.#writer;
    if (this.#code !== null || inline.isOpen(open) || (open === '**' && heading > 0)) return;
    element.mark = inline.open({ kind: open, open, close });
  }

  #openLink(element: OpenElement, attributes: Attributes): void {
    const { inline } = this.#writer;
    if (this.#code !== null || inline.isOpen('link')) return;
    const link = this.#links.resolve(attributes['href']);
    if (!link) return;
    const bare = link.samePage || link.url === '';
    const [open, close] = bare ? ['', ''] : ['[', `](${link.url})`];
    element.mark = inline.open({ kind: 'link', open, close, link });
  }

  /** Ends an open item where the next one begins; tags left open inside it keep the parser from doing so. */
  #endOpenItem(): void {
    for (let index = this.#stack.length - 2; index >= 0; index--) {
      const element = this.#stack[index]!;
      if (listNames.has(element.name) || element.name === 'table') return;
      if (element.name !== 'li' || !element.frame) continue;
      this.#writer.closeFrame(element.frame);
      element.frame = undefined;
      return;
    }
  }

  #endInPre(pre: { text: string; language: string }, { name }: OpenElement): void {
    if (name === 'pre') {
      this.#pre = null;
      this.#writer.push('code', codeBlock(pre.text, pre.language), this.#top);
    } else if (/^(div|p|li|tr)$/.test(name) && !pre.text.endsWith('\n')) pre.text += '\n';
  }

  #endCode(): void {
    const code = inlineCode(this.#code ?? '');
    const blankBefore = /^\s/.test(this.#code ?? '');
    this.#code = null;
    if (code === '') return;
    if (blankBefore) this.#writer.inline.add(' ');
    this.#writer.inline.addRaw(code);
  }

  #endMath(): void {
    const formula = (this.#math ?? '').replace(/\s+/g, ' ').trim();
    this.#math = null;
    if (formula !== '') this.#writer.inline.addRaw(`$${formula}$`);
  }

  #boundary(): void {
    if (this.#pre) return;
    if (this.#code !== null) {
      this.#endCode();
      this.#code = '';
    }
    this.#writer.flush(this.#top);
  }
}

function languageAround(element: PageElement): string {
  let each: PageElement | null = element;
  for (let level = 0; each && level < 8; level++, each = each.parent) {
    if (/^(body|main|article|section|li)$/.test(each.name)) return '';
    if (each.language) return each.language;
  }
  return '';
}

const LONGEST_URL = 2000;

export class LinkResolver {
  refresh = '';
  #base: URL | null;
  readonly #page: string;
  readonly #budget: OutputBudget;

  constructor(url: string, budget: OutputBudget) {
    this.#base = parse(url);
    this.#page = withoutFragment(this.#base?.href ?? '');
    this.#budget = budget;
  }

  setBase(href: string | undefined): void {
    const base = href === undefined ? null : parse(href, this.#base);
    if (base && base.href.length <= LONGEST_URL && /^https?:$/.test(base.protocol)) this.#base = base;
  }

  /** Null for links no reader could follow; `url` is empty once the page has used up its budget for URLs. */
  resolve(href: string | undefined): { url: string; samePage: boolean } | null {
    if (href === undefined || href.length > LONGEST_URL) return null;
    const url = parse(href.trim(), this.#base);
    if (!url || !/^(https?|mailto|tel|ftp):$/.test(url.protocol) || url.href.length > LONGEST_URL)
      return null;
    if (url.hash !== '' && withoutFragment(url.href) === this.#page) return { url: url.href, samePage: true };
    if (!this.#budget.spend(url.href.length)) return { url: '', samePage: false };
    return { url: balanced(url.href), samePage: false };
  }

  /** Markdown of an image; empty for one without a description, which is decoration. */
  image(attributes: Attributes): string {
    const alternative = (attributes['alt'] ?? '').replace(/\s+/g, ' ').trim();
    if (alternative === '') return '';
    const source = [attributes['src'], attributes['data-src'], attributes['data-original']].find(
      (address) => address !== undefined && !address.startsWith('data:'),
    );
    const link = this.resolve(source);
    return link?.url ? `![${alternative}](${link.url})` : alternative;
  }

  noteRefresh(attributes: Attributes): void {
    if (attributes['http-equiv']?.toLowerCase() !== 'refresh') return;
    const target = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(
      (attributes['content'] ?? '').slice(0, LONGEST_URL),
    )?.[1];
    const url = target === undefined ? null : parse(target.trim(), this.#base);
    if (url && /^https?:$/.test(url.protocol)) this.refresh = url.href;
  }
}

function parse(address: string, base?: URL | null): URL | null {
  try {
    return new URL(address, base ?? undefined);
  } catch {
    return null;
  }
}

function withoutFragment(address: string): string {
  return address.replace(/#.*$/s, '');
}

/** Escapes parentheses that have no partner: one would end the link in Markdown. */
function balanced(url: string): string {
  if (!url.includes('(') && !url.includes(')')) return url;
  const open = url.split('(').length;
  return open === url.split(')').length ? url : url.replaceAll('(', '%28').replaceAll(')', '%29');
}
