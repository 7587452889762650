import { setImmediate } from 'node:timers/promises';
import { type HtmlOptions, htmlToMarkdown, type MarkdownPage } from './html-to-markdown.js';

interface FeedEntry {
  title: string;
  link: string;
  date: string;
  author: string;
  summary: string;
  content: string;
}

const MOST_ENTRIES = 200;
const SLICE = 16 * 1024;
const DEEPEST = 200;

const fieldNames: Readonly<Record<string, keyof FeedEntry>> = {
  title: 'title',
  link: 'link',
  pubdate: 'date',
  published: 'date',
  updated: 'date',
  'dc:date': 'date',
  'dc:creator': 'author',
  name: 'author',
  description: 'summary',
  summary: 'summary',
  'content:encoded': 'content',
  content: 'content',
};

/** True for RSS, RDF and Atom documents, by their first element. */
export function isFeed(xml: string): boolean {
  const root = /^\s*(?:<[?!][^>]*>\s*)*<([a-z:]+)/i.exec(xml.slice(0, 4000))?.[1]?.toLowerCase();
  return root === 'rss' || root === 'feed' || root === 'rdf:rdf';
}

/** A feed as a list of its entries, newest as the feed orders them. */
export async function feedToMarkdown(xml: string, options: HtmlOptions): Promise<MarkdownPage> {
  const { channel, entries } = await readFeed(xml, options.signal);
  const title = await plain(channel.title, options);
  const parts = [`# ${title || 'Feed'}`];
  if (channel.summary) parts.push(await rich(channel.summary, options));
  for (const entry of entries.slice(0, MOST_ENTRIES)) parts.push(await entryMarkdown(entry, options));
  const left = entries.length - MOST_ENTRIES;
  if (left > 0) parts.push(`(${left} older entries are not shown.)`);
  return { title, markdown: parts.filter(Boolean).join('\n\n'), refresh: '' };
}

async function entryMarkdown(entry: FeedEntry, options: HtmlOptions): Promise<string> {
  const title = (await plain(entry.title, options)) || '(untitled)';
  const link = absolute(entry.link, options.url);
  const heading = `## ${link ? `[${title}](${link})` : title}`;
  const about = [entry.date.trim(), entry.author.trim()].filter(Boolean).join(', ');
  const text = await rich(entry.content || entry.summary, { ...options, url: link || options.url });
  return [heading, about, text].filter(Boolean).join('\n\n');
}

async function readFeed(
  xml: string,
  signal?: AbortSignal,
): Promise<{ channel: FeedEntry; entries: FeedEntry[] }> {
  const { Parser } = await import('htmlparser2');
  const channel = emptyEntry();
  const entries: FeedEntry[] = [];
  const path: string[] = [];
  let current = channel;
  const parser = new Parser(
    {
      onopentag: (rawName, attributes) => {
        const name = rawName.toLowerCase();
        path.push(name);
        if (name === 'item' || name === 'entry') entries.push((current = emptyEntry()));
        const isAlternate = (attributes['rel'] ?? 'alternate') === 'alternate';
        if (name === 'link' && attributes['href'] && isAlternate) current.link ||= attributes['href'];
      },
      ontext: (text) => {
        const field = fieldNames[path.at(-1) ?? ''];
        // The channel's own fields are direct children; an image or author inside it has a title or name too.
        const own = current !== channel || path.length <= 3;
        if (field && own) current[field] += text;
      },
      onclosetag: () => {
        const name = path.pop();
        if (name === 'item' || name === 'entry') current = channel;
      },
    },
    { xmlMode: true },
  );
  for (let start = 0; start < xml.length && path.length < DEEPEST; start += SLICE) {
    parser.write(xml.slice(start, start + SLICE));
    await setImmediate();
    signal?.throwIfAborted();
  }
  parser.end();
  return { channel, entries };
}

function emptyEntry(): FeedEntry {
  return { title: '', link: '', date: '', author: '', summary: '', content: '' };
}

async function rich(html: string, options: HtmlOptions): Promise<string> {
  return html.trim() === '' ? '' : (await htmlToMarkdown(html, options)).markdown;
}

async function plain(html: string, options: HtmlOptions): Promise<string> {
  const text = html.trim();
  if (!/[&<]/.test(text)) return text.replace(/\s+/g, ' ');
  return (await rich(text, options)).replace(/\s+/g, ' ').trim();
}

function absolute(link: string, base: string): string {
  try {
    const url = new URL(link.trim(), base);
    return link.trim() !== '' && /^https?:$/.test(url.protocol) ? url.href : '';
  } catch {
    return '';
  }
}
