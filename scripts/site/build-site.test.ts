import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const { buildSite } = await import(new URL('./build-site.mjs', import.meta.url).href);
const root = fileURLToPath(new URL('../../', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-site-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function repository(files: Record<string, string>): string {
  const all = { 'packages/web/src/page/icon.svg': '<svg/>', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

it('the site builds the documents of this repository: each link leads somewhere, each document is in the navigation', () => {
  const { pages, links } = buildSite(root, join(folder, 'site'));
  expect(pages).toBeGreaterThan(40);
  expect(links).toBeGreaterThan(200);
});

it('the site turns links between documents into links between pages and copies pictures and other files', () => {
  const from = repository({
    'README.md':
      '# Home\n\n[one](docs/one.md#the-part) ![a picture](docs/a.svg) [out](https://example.com/x.md)\n',
    'docs/README.md': '# All\n\n## Group\n\n- [one](one.md)\n',
    'docs/one.md': '# One\n\n## The `part`\n\nText with <angle> & more. [home](../README.md)\n',
    'docs/a.svg': '<svg/>',
  });
  buildSite(from, join(folder, 'site'));
  const home = readFileSync(join(folder, 'site/index.html'), 'utf8');
  expect(home).toContain('<a href="docs/one.html#the-part">one</a>');
  expect(home).toContain('<a href="https://example.com/x.md">out</a>');
  expect(home).toContain('<h2>Group</h2><ul><li><a href="docs/one.html">One</a></li></ul>');
  expect(existsSync(join(folder, 'site/docs/a.svg'))).toBe(true);
  const one = readFileSync(join(folder, 'site/docs/one.html'), 'utf8');
  expect(one).toContain('<a href="../index.html">home</a>');
  expect(one).toContain('<a href="../docs/one.html" aria-current="page">One</a>');
});

it('the site refuses links that lead nowhere and documents without a place in the navigation, and leaves the site that was there', () => {
  const from = repository({
    'README.md': '# Home\n\n[gone](docs/gone.md) [heading](docs/one.md#gone) ![picture](gone.svg)\n',
    'docs/README.md': '# All\n',
    'docs/one.md': '# One\n',
    'site/index.html': 'the site before',
  });
  expect(() => buildSite(from, join(folder, 'site'))).toThrow(
    [
      'README.md: the link docs/gone.md leads nowhere; there is no file docs/gone.md.',
      'README.md: the link docs/one.md#gone leads to a heading that docs/one.md does not have.',
      'README.md: the link gone.svg leads nowhere; there is no file gone.svg.',
      'docs/README.md has no link to docs/one.md.',
    ].join('\n'),
  );
  expect(readFileSync(join(folder, 'site/index.html'), 'utf8')).toBe('the site before');
});
