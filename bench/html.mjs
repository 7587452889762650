/**
 * HTML to Markdown: time against the bare parser on the same 2 MB, and the longest time the event loop had to
 * wait. The fetch is the whole of web_fetch, from a loopback server to the result.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { interleaved, loadSource, median, report, root } from './measure.mjs';

const SIZE = 2 * 1024 * 1024;
const ROUNDS = 5;
const LONGEST_MS = 100;

const { htmlToMarkdown, Parser, createGuardedHttp, WebFetchTool, createIds } = await loadSource(`
  export { htmlToMarkdown } from './packages/core/src/tools/web/html/html-to-markdown.js';
  export { Parser } from 'htmlparser2';
  export { createGuardedHttp } from './packages/machine/src/host/web/guarded-http.js';
  export { WebFetchTool } from './packages/core/src/tools/web-fetch.js';
  export { createIds } from './packages/machine/src/host/node-host.js';
`);

const fixture = (name) => readFileSync(join(root, 'packages/core/src/tools/web/html/fixtures', name), 'utf8');
const matter = (name) => /<(?:main|article)[^>]*>([\s\S]*)<\/(?:main|article)>/.exec(fixture(name))[1];
const filled = (piece) => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

const documentation = ['docs-page.html', 'code-samples.html', 'non-latin.html', 'blog-post.html']
  .map(matter)
  .join('\n');
const pages = {
  documentation: `<html><body><main>${filled(documentation)}`,
  'one paragraph': `<p>${filled('word and word ')}`,
  'one table': `<table>${filled('<tr><td>one<td>two<td>three')}`,
  'one code block': `<pre>${filled('const x = 1;\n')}`,
  links: filled('<a href="page.html">link</a> '),
  'nested tags': filled('<div>x'),
  'nested lists': filled('<ul><li>x'),
  'tags left open': filled('<b><i><a href=x>y '),
};

/**
 * The longest gap between two turns of the event loop while the work runs: on the clock, and in processor time,
 * which does not count what other programs take on a busy machine.
 */
async function longestBlock(work) {
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const longest = { wall: 0, processor: 0 };
  let [wall, processor, running] = [performance.now(), spent(), true];
  const turn = () => {
    const [nextWall, nextProcessor] = [performance.now(), spent()];
    longest.wall = Math.max(longest.wall, nextWall - wall);
    longest.processor = Math.max(longest.processor, nextProcessor - processor);
    [wall, processor] = [nextWall, nextProcessor];
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  running = false;
  return longest;
}

const convert = (html) => () => htmlToMarkdown(html, { url: 'https://site.example/docs/' });
const parse = (html) => () => {
  const parser = new Parser({ onopentag() {}, ontext() {}, onclosetag() {} });
  parser.write(html);
  parser.end();
};

console.log(`${(SIZE / 1024 / 1024).toFixed(0)} MB of each; the baseline is the parser alone.`);
for (const [name, html] of Object.entries(pages)) {
  // Nesting makes the bare parser itself quadratic, so there it is no baseline.
  if (name.startsWith('nested') || name.startsWith('tags')) {
    const started = performance.now();
    await convert(html)();
    console.log(`${name}: ${(performance.now() - started).toFixed(1)} ms`);
  } else {
    const times = await interleaved({ converter: convert(html), parser: parse(html) }, ROUNDS);
    report(name, times.converter, times.parser);
  }
  const blocks = [];
  for (let round = 0; round < ROUNDS; round++) blocks.push(await longestBlock(convert(html)));
  const middle = (kind) => median(blocks.map((block) => block[kind]).sort((left, right) => left - right));
  const verdict = middle('processor') <= LONGEST_MS ? 'ok' : 'TOO LONG';
  if (verdict !== 'ok') process.exitCode = 1;
  console.log(
    `  longest wait of the event loop, median of ${ROUNDS}: ${middle('processor').toFixed(0)} ms of processor time, ${middle('wall').toFixed(0)} ms on the clock; target ${LONGEST_MS} ms: ${verdict}`,
  );
}

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pages.documentation);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const fetchOnce = async () => {
  const fetch = createGuardedHttp({
    resolve: async () => ['93.184.215.14'],
    connect: async () => connect({ host: '127.0.0.1', port }),
  });
  const log = { path: '', debug() {}, error() {} };
  const tool = new WebFetchTool({ ids: createIds(), log }, { fetch, saveOutput: async (name) => name });
  const result = await tool.execute(
    { url: 'http://site.example/', prompt: 'x' },
    new AbortController().signal,
  );
  if (result.error) throw new Error(result.error.message);
};
await fetchOnce();
const started = performance.now();
const block = await longestBlock(fetchOnce);
console.log(
  `web_fetch of the documentation, whole: ${(performance.now() - started).toFixed(0)} ms, longest wait of the event loop ${block.processor.toFixed(0)} ms of processor time, ${block.wall.toFixed(0)} ms on the clock`,
);
server.close();
