import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedToMarkdown, isFeed } from './feed-to-markdown.js';
import { htmlToMarkdown } from './html-to-markdown.js';

const url = 'https://site.example/docs/page.html';
const folder = new URL('./fixtures/', import.meta.url);
const pages = readdirSync(folder).filter((name) => /\.(html|xml)$/.test(name));

async function markdownOf(html: string, from = url): Promise<string> {
  return (await htmlToMarkdown(html, { url: from })).markdown;
}

describe('a page as it is found on the web', () => {
  it('there are at least a dozen', () => {
    console.log(`${pages.length} pages with their Markdown`);
    expect(pages.length).toBeGreaterThanOrEqual(12);
  });

  it.each(pages)('%s becomes its Markdown', async (name) => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const page = await (isFeed(source) ? feedToMarkdown : htmlToMarkdown)(source, { url });
    const expected = readFileSync(new URL(name.replace(/\.\w+$/, '.md'), folder), 'utf8');
    expect(`Title: ${page.title}\n\n${page.markdown}\n`).toBe(expected);
  });
});

describe('links', () => {
  const cases: [html: string, markdown: string][] = [
    ['<a href="b.html">x</a>', '[x](https://site.example/docs/b.html)'],
    ['<a href="//cdn.example/x">x</a>', '[x](https://cdn.example/x)'],
    ['<a href="?q=1">x</a>', '[x](https://site.example/docs/page.html?q=1)'],
    ['<base href="https://other.example/a/"><a href="b">x</a>', '[x](https://other.example/a/b)'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<a href="data:text/html,hi">x</a>', 'x'],
    ['<a href="#top">Top</a>', 'Top'],
    ['<p>Text<a href="#p">¶</a></p>', 'Text'],
    ['<a href="https://e.example/x_(y)">x</a>', '[x](https://e.example/x_(y))'],
    ['<a href="https://e.example/x)">x</a>', '[x](https://e.example/x%29)'],
    ['<a href="https://e.example/">https://e.example/</a>', 'https://e.example/'],
    ['<a href="a"> spaced </a>out', '[spaced](https://site.example/docs/a) out'],
    ['<a href="a"></a>nothing', 'nothing'],
    [
      '<a href="a"><div>one</div><div>two</div></a>',
      '[one](https://site.example/docs/a)\n\n[two](https://site.example/docs/a)',
    ],
    [
      '<a href="/"><img alt="Home" src="h.png"></a>',
      '[![Home](https://site.example/docs/h.png)](https://site.example/)',
    ],
    [
      '<img src="data:image/gif;base64,R0" data-src="/real.png" alt="Real">',
      '![Real](https://site.example/real.png)',
    ],
    ['<img src="pixel.gif">x<img src="p.gif" alt="">', 'x'],
    [`<a href="${'a'.repeat(3000)}">long</a>`, 'long'],
  ];
  it.each(cases)('become Markdown: %s', async (html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });
});

describe('running text', () => {
  const cases: [html: string, markdown: string][] = [
    ['a <b> bold </b> word', 'a **bold** word'],
    ['<b></b><i> </i>x', 'x'],
    ['<b>a<b>b</b></b>', '**ab**'],
    ['one<br>two<br><br>three', 'one\ntwo\nthree'],
    ['<h2>Two<br>lines</h2>', '## Two lines'],
    ['<h1><b>Bold</b> head</h1>', '# Bold head'],
    ['<p>a</p>b<p>c</p>', 'a\n\nb\n\nc'],
    ['<p hidden>secret</p><p style="display: none">x</p><p>shown</p>', 'shown'],
    ['<p>a<script>x</script><style>y</style><template>z</template>b</p>', 'ab'],
    ['&lt;b&gt; &amp;amp; &#x1F600;', '<b> &amp; 😀'],
    ['<code>a</code><code></code>', '`a`'],
    ['<q>said</q>', '"said"'],
    ['<details><summary>More</summary>text</details>', '**More**\n\ntext'],
    ['<textarea>typed</textarea><select><option>o</select>left', 'left'],
  ];
  it.each(cases)('becomes Markdown: %s', async (html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  it('takes a page apart into slices without a seam', async () => {
    const words = Array.from({ length: 30_000 }, (_, index) => `word${index}`).join(' ');
    expect(await markdownOf(`<p>${words}</p>`)).toBe(words);
  });
});

describe('a hostile page', () => {
  const size = 300_000;
  const rows: [name: string, piece: string][] = [
    ['nested deeper than any stack', '<div>'],
    ['nested lists', '<ul><li>x'],
    ['nested tables', '<table><tr><td>x'],
    ['rows that span rows', '<tr><td rowspan=9999>aaaaaaaaaaaaaaaaaaaa<td>b'],
    ['columns that span columns', '<td colspan=9999>a'],
    ['marks that never close', '<b><i><a href=x>y'],
    ['unfinished tags', '<'],
    ['nested drawings', '<svg><title>'],
  ];
  it.each(rows)('%s gives no more than a few times its size', async (_name, piece) => {
    const html = `<table>${piece.repeat(Math.ceil(size / piece.length))}`;
    const { markdown } = await htmlToMarkdown(html, { url });
    expect(markdown.length).toBeLessThan(12 * size);
  });

  it('a long base address does not multiply', async () => {
    const html = `<base href="https://e.example/${'a'.repeat(1900)}/">${'<a href=x>y</a> '.repeat(20_000)}`;
    const markdown = await markdownOf(html);
    expect(markdown.length).toBeLessThan(4 * html.length);
    expect(markdown.match(/y/g)?.length).toBe(20_000);
  });

  it('keeps its text when tags are left open a thousand times', async () => {
    const html = Array.from({ length: 3000 }, (_, index) => `<font color=red>word${index} `).join('');
    const words = (await markdownOf(html)).match(/word\d+/g);
    expect(words?.length).toBe(3000);
  });
});

it('never fails and stays the same whatever the pieces are', async () => {
  const piece = fc.constantFrom(
    ...'<p> </p> <b> </b> <ul> </ul> <li> <table> </table> <tr> <td> </td> <pre> </pre> <code> </code> <a href="x"> </a> <h1> </h1> text <br> <!-- --> <blockquote> </blockquote> &amp; <math> </math> <dl> <dd> </dl> <svg> </svg> <main> </main> <nav> </nav> " \' < >'.split(
      ' ',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      const html = pieces.join(' ');
      expect(await markdownOf(html)).toBe(await markdownOf(html));
    }),
    { numRuns: 300 },
  );
});

it('the converter keeps every word of plain markup in order', async () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const wrapped = fc.tuple(
    word,
    fc.constantFrom('p', 'li', 'b', 'td', 'div', 'blockquote', 'h2', 'pre', 'code', 'span'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(wrapped, { minLength: 1, maxLength: 30 }), async (items) => {
      const html = items.map(([text, name]) => `<${name}>${text}</${name}> `).join('');
      const expected = items.map(([text]) => text);
      expect((await markdownOf(html)).match(/[a-z]+/g)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

it('the converter stops between slices when it is cancelled', async () => {
  const controller = new AbortController();
  const converting = htmlToMarkdown('<p>x</p>'.repeat(100_000), { url, signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(converting).rejects.toThrow('enough');
});

it('the converter says where the page forwards its reader to', async () => {
  const page = await htmlToMarkdown('<meta http-equiv="Refresh" content="0; URL=\'/next\'">', { url });
  expect(page.refresh).toBe('https://site.example/next');
});
