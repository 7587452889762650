/** The web page: size of the first view, first paint on loopback, and the longest frame while long views are scrolled. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { median, root } from './measure.mjs';

const SESSION = '1'.repeat(24);
const page = join(root, 'packages/cli/dist/page');
const compressed = (name) => brotliCompressSync(readFileSync(join(page, name))).length;

/** A file and all that it imports at once. */
function withImports(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, next] of readFileSync(join(page, name), 'utf8').matchAll(/(?:from|import)"\.\/([^"]+)"/g))
    withImports(next, seen);
  return seen;
}

const first = ['index.html', 'style.css', 'icon.svg', ...withImports('page.js')];
const bytes = first.reduce((sum, name) => sum + compressed(name), 0);
const all = readdirSync(page).reduce((sum, name) => sum + compressed(name), 0);
console.log(
  `first view: ${(bytes / 1000).toFixed(1)} kB compressed in ${first.length} files (all views ${(all / 1000).toFixed(1)} kB), target 60 kB: ${bytes < 60_000 ? 'ok' : 'MISSED'}`,
);

const executablePath = '/usr/bin/chromium';
if (existsSync(executablePath)) await inBrowser();
else console.log('not tried: chromium is not installed, so nothing was painted');

async function inBrowser() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-bench-')));
  const [home, workspace] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, workspace]) mkdirSync(path);
  writeSession({ home, workspace });
  const program = join(root, 'packages/cli/bin/toolwright.cjs');
  const { PATH } = process.env;
  const served = spawn(process.execPath, [program, 'web', '--provider', 'offline'], {
    cwd: workspace,
    env: { PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve) => {
    served.stdout.once('data', (text) => resolve(/http\S+/.exec(String(text))[0]));
  });
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const flags = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ];
  const browser = await chromium.launch({ executablePath, args: [...asRoot, ...flags] });
  try {
    const paints = [];
    for (let round = 0; round < 15; round++) paints.push(await firstPaint(browser, url));
    paints.sort((left, right) => left - right);
    console.log(
      `first paint: ${median(paints).toFixed(0)} ms (best ${paints[0].toFixed(0)}), target 150 ms: ${median(paints) < 150 ? 'ok' : 'MISSED'}`,
    );
    await scrolled(browser, url, {
      what: 'a session of 5,000 calls',
      link: `#/session/${SESSION}`,
      box: null,
    });
    await scrolled(browser, url, {
      what: 'a diff of 50,000 lines',
      link: '#/change/bench-change',
      box: '.rows.tall',
    });
  } finally {
    await browser.close();
    const ended = new Promise((resolve) => served.on('close', resolve));
    served.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstPaint(browser, url) {
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(url);
  await tab.waitForSelector('main h1');
  const [paint] = await tab.evaluate(
    "performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime)",
  );
  await context.close();
  return paint;
}

/** Frames are counted from inside the page while the wheel turns. */
async function scrolled(browser, url, { what, link, box }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  await tab.goto(url);
  await tab.waitForSelector('h1');
  await tab.evaluate(`location.hash = ${JSON.stringify(link)}`);
  await tab.waitForSelector(box ?? '.call', { timeout: 60_000 });
  await tab.waitForTimeout(1_500);
  if (box) await tab.hover(box);
  else await tab.mouse.move(640, 500);
  await tab.evaluate(`(() => {
    window.frames = []; window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
    let last = performance.now();
    const tick = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  })()`);
  for (let turn = 0; turn < 120; turn++) {
    await tab.mouse.wheel(0, 900);
    // The reader rests now and then, and words and colours come.
    await tab.waitForTimeout(turn % 20 === 19 ? 400 : 16);
  }
  const { frames, long, seen } = await tab.evaluate(
    "({ frames: window.frames.slice(2).sort((a, b) => a - b), long: window.long, seen: document.querySelectorAll('main *').length })",
  );
  const longest = Math.max(0, ...long);
  console.log(
    `${what}: ${frames.length} frames, median ${median(frames).toFixed(1)} ms, 99 of 100 below ${frames[Math.floor(frames.length * 0.99)].toFixed(1)} ms, longest ${frames.at(-1).toFixed(1)} ms, target 50 ms: ${frames.at(-1) <= 50.1 ? 'ok' : 'MISSED'}; tasks above 50 ms: ${long.length} (longest ${longest.toFixed(0)} ms); ${seen} elements in the document`,
  );
  await context.close();
}

/** 25,000 lines that become others. */
function largeChange(state, workspace) {
  const lines = (factor) =>
    Array.from(
      { length: 25_000 },
      (_, line) => `export const value${line} = ${line} + offset(${line * factor}, 'words of it');`,
    );
  const versions = [7, 9].map((factor) => `${lines(factor).join('\n')}\n`);
  const [before, after] = versions.map((text) => ({
    hash: createHash('sha256').update(text).digest('hex'),
    size: Buffer.byteLength(text),
  }));
  const objects = join(state, 'objects', before.hash.slice(0, 2));
  mkdirSync(objects, { recursive: true, mode: 0o700 });
  writeFileSync(join(objects, before.hash), versions[0], { mode: 0o600 });
  const path = join(workspace, 'large.ts');
  writeFileSync(path, versions[1]);
  return { kind: 'modify', path, before, after };
}

/** A session of 5,000 calls, and a change whose versions are a file of 50,000 lines. */
function writeSession({ home, workspace }) {
  const state = join(home, '.toolwright');
  const key = `${basename(workspace)}-${createHash('sha256').update(JSON.stringify(workspace)).digest('hex').slice(0, 10)}`;
  mkdirSync(join(state, 'sessions', key), { recursive: true, mode: 0o700 });
  const change = largeChange(state, workspace);
  const entries = [
    { type: 'session-start', sessionId: SESSION, workspace, front: 'headless' },
    { type: 'message', message: { role: 'user', parts: [{ text: 'Look at 5,000 files' }] } },
    {
      type: 'changes',
      by: 'a bench',
      changeSet: { v: 1, id: 'bench-change', changes: [change], directories: [], removedDirectories: [] },
    },
  ];
  for (let index = 0; index < 5_000; index++) {
    const callId = `call-${index}`;
    entries.push(
      {
        type: 'call-start',
        callId,
        tool: 'read_file',
        args: { absolute_path: `src/part-${index}.ts` },
        effects: [],
      },
      { type: 'call-decision', callId, decision: 'allow', reason: 'default mode allows reading' },
      {
        type: 'call-end',
        callId,
        tool: 'read_file',
        response: { name: 'read_file', response: { output: 'ok' } },
        display: `part ${index}: ${'words '.repeat(40)}`,
      },
    );
    if (index % 20 === 19)
      entries.push({
        type: 'message',
        message: { role: 'model', parts: [{ text: `After **${index}** calls:\n\n- one\n- two\n` }] },
        usage: { inputTokens: 9_000 + index, cachedTokens: 8_000, outputTokens: 200 },
      });
  }
  const began = Date.parse('2026-01-02T03:04:05.000Z');
  const lines = entries.map((entry, index) =>
    JSON.stringify({ v: 1, at: new Date(began + index * 100).toISOString(), ...entry }),
  );
  writeFileSync(join(state, 'sessions', key, `${SESSION}.jsonl`), `${lines.join('\n')}\n`, { mode: 0o600 });
}
