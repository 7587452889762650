import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { escapeHtml, pagePath, renderDocument, targetOf } from './render.mjs';

const own = import.meta.dirname;

/** Builds the site of the repository `from` in the folder `to`; refuses when a link leads nowhere. Gives what it wrote. */
export function buildSite(from, to) {
  const pages = renderAll(from, ['README.md', ...documentsIn(from, 'docs')]);
  const groups = groupsOf(pages);
  const { problems, files } = follow(from, pages);
  for (const { document: path } of pages)
    if (
      path.startsWith('docs/') &&
      !groups.some(({ paths }) => paths.includes(path)) &&
      path !== 'docs/README.md'
    )
      problems.push(`docs/README.md has no link to ${path}.`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  rmSync(to, { recursive: true, force: true });
  const template = readFileSync(join(own, 'page.html'), 'utf8');
  for (const page of pages) write(to, pagePath(page.document), pageHtml(template, page, { pages, groups }));
  for (const path of files) copy(join(from, path), join(to, path));
  for (const name of ['site.css', 'site.js']) copy(join(own, name), join(to, name));
  copy(join(from, 'packages/web/src/page/icon.svg'), join(to, 'icon.svg'));
  write(
    to,
    'search-index.js',
    `window.searchIndex = ${JSON.stringify(inOrder(pages, groups).flatMap(searched))};\n`,
  );
  return { pages: pages.length, links: pages.flatMap(({ links }) => links).length, files: files.size };
}

/** The documents, and those that they link to. */
function renderAll(from, documents) {
  const pages = new Map();
  const waiting = [...documents];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    if (pages.has(path) || !existsSync(join(from, path))) continue;
    const page = renderDocument(path, readFileSync(join(from, path), 'utf8'));
    pages.set(path, page);
    const targets = page.links.map((href) => targetOf(path, href)?.path);
    waiting.push(...targets.filter((target) => target?.endsWith('.md') && !target.startsWith('..')));
  }
  return [...pages.values()];
}

function documentsIn(from, folder) {
  return readdirSync(join(from, folder), { recursive: true })
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.md'))
    .sort();
}

/** The groups of the navigation: the headings of docs/README.md with the documents that are linked below them. */
function groupsOf(pages) {
  const list = pages.find(({ document }) => document === 'docs/README.md');
  const parts = (list?.html ?? '').split(/<h2 [^>]*><a[^>]*>/).slice(1);
  return parts.map((part) => ({
    title: part.slice(0, part.indexOf('</a>')),
    paths: [...part.matchAll(/href="([\w/.-]+)\.html"/g)].map(([, path]) => posix.join('docs', `${path}.md`)),
  }));
}

/** Follows the links: gives sentences about those that lead nowhere, and the files that are no documents. */
function follow(from, pages) {
  const problems = [];
  const files = new Set();
  for (const { document, links } of pages)
    for (const href of links) {
      const target = targetOf(document, href);
      if (!target) continue;
      const page = pages.find((other) => other.document === target.path);
      if (page && target.anchor && !page.anchors.has(target.anchor))
        problems.push(`${document}: the link ${href} leads to a heading that ${target.path} does not have.`);
      if (page) continue;
      const file = join(from, target.path);
      if (existsSync(file) && statSync(file).isFile()) files.add(target.path);
      else problems.push(`${document}: the link ${href} leads nowhere; there is no file ${target.path}.`);
    }
  return { problems, files };
}

function pageHtml(template, page, { pages, groups }) {
  const root = posix.relative(posix.dirname(pagePath(page.document)), '.');
  const prefix = root === '' ? '' : `${root}/`;
  const titles = new Map(pages.map(({ document, title }) => [document, title]));
  const navigation = groups.map(({ title, paths }) => {
    const items = paths.map((path) => {
      const current = path === page.document ? ' aria-current="page"' : '';
      return `<li><a href="${prefix}${pagePath(path)}"${current}>${escapeHtml(titles.get(path) ?? path)}</a></li>`;
    });
    return `<h2>${title}</h2><ul>${items.join('')}</ul>`;
  });
  const values = {
    title: escapeHtml(page.document === 'README.md' ? page.title : `${page.title} · Toolwright`),
    root: prefix,
    navigation: navigation.join(''),
    content: page.html,
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

/** In the order of the navigation, because of sections that fit a search equally well the first is shown first. */
function inOrder(pages, groups) {
  const order = groups.flatMap(({ paths }) => paths);
  const placeOf = ({ document }) => order.indexOf(document) + 1 || order.length + 1;
  return pages.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Of the public names the headings alone are searched: their declarations would drown everything else. */
function searched({ document, title: page, sections }) {
  const isApi = document.startsWith('docs/api/');
  return sections.map(({ title, anchor, text }) => ({
    path: pagePath(document) + (anchor ? `#${anchor}` : ''),
    page,
    title,
    text: isApi ? '' : text.trim(),
  }));
}

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
