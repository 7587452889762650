import { createRequire } from 'node:module';
import { posix } from 'node:path';

// The renderer of the terminal serves here too; it is a dependency of that package.
const { Marked } = createRequire(new URL('../../packages/cli/package.json', import.meta.url))('marked');
const { dirname, join, relative } = posix;

/** The path of a page within the site, from the path of its document in the repository. */
export function pagePath(document) {
  return document === 'README.md'
    ? 'index.html'
    : document.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

/** A document as HTML: its title, its headings' anchors, where its links lead, and its sections for the search. */
export function renderDocument(document, text) {
  const anchors = new Set();
  const links = [];
  const sections = [];
  const renderer = {
    heading({ tokens, depth, text: source }) {
      const title = plain(source);
      const id = freshAnchor(title, anchors);
      sections.push({ title, anchor: depth === 1 ? '' : id, text: '' });
      const inner = this.parser.parseInline(tokens);
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      links.push(href);
      return `<a href="${escapeHtml(siteLink(document, href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text: alt }) {
      links.push(href);
      return `<img src="${escapeHtml(siteLink(document, href))}" alt="${escapeHtml(alt)}">`;
    },
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
      const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
      return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`;
    },
    code({ text: code }) {
      return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
    },
  };
  const marked = new Marked({ gfm: true, renderer });
  const tokens = marked.lexer(text);
  const html = marked.parser(tokens);
  addTexts(tokens, sections);
  return { document, html, anchors, links, sections, title: sections[0]?.title ?? document };
}

function addTexts(tokens, sections) {
  let index = -1;
  for (const { type, raw } of tokens) {
    if (type === 'heading') index += 1;
    else if (sections[index] && type !== 'space') sections[index].text += ` ${plain(raw)}`;
  }
}

function plain(source) {
  return source
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]|```\w*|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function freshAnchor(title, anchors) {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  let id = slug;
  for (let count = 1; anchors.has(id); count += 1) id = `${slug}-${count}`;
  anchors.add(id);
  return id;
}

/** A link between documents as one between pages. */
function siteLink(document, href) {
  const target = targetOf(document, href);
  if (!target) return href;
  const to =
    relative(dirname(pagePath(document)), pagePath(target.path)) || posix.basename(pagePath(target.path));
  return target.anchor ? `${to}#${target.anchor}` : to;
}

/** The file of the repository that a link leads to, or null for one that leads out of it. */
export function targetOf(document, href) {
  if (/^[a-z]+:/i.test(href)) return null;
  const [path, anchor] = href.split('#');
  return { path: path === '' ? document : join(dirname(document), path), anchor };
}

export function escapeHtml(text) {
  const names = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => names[sign]);
}
