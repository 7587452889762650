import type { OutputBudget } from './output-budget.js';
import type { Attributes } from './page-element.js';

const LONGEST_URL = 2000;

/** Makes links absolute. */
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
