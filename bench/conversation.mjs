/**
 * A conversation at a real terminal while a model streams 5,000 lines: the first line of the program, keys typed meanwhile, and the
 * processor time of the whole program. Before: 0.3 s, 1 ms, 1.1 s.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import pty from '@lydell/node-pty';
import { median, root } from './measure.mjs';

const LINES = 5_000;
const LINES_AT_ONCE = 5;
const ROUNDS = 3;
const KEYS = 60;
const TICKS_PER_SECOND = 100;
const program = join(root, 'packages/cli/bin/toolwright.cjs');

if (isMainThread) await measure();
else await serve();

/** A model in a thread of its own, so that its work delays nothing that is measured. */
async function serve() {
  const { createServer } = await import('node:http');
  const delta = (content) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content } }] })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const timer = setInterval(() => {
      for (let count = 0; count < LINES_AT_ONCE; count++)
        response.write(delta(`Line ${++sent} of an answer: some words, *some more*, and \`code\`.\n\n`));
      if (sent < LINES) return;
      clearInterval(timer);
      response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    }, 1);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
}

async function measure() {
  const base = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
  const worker = new Worker(fileURLToPath(import.meta.url));
  const port = await new Promise((resolve) => worker.once('message', resolve));
  const times = { line: [], key: [], processor: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) await talk({ base, port, round }, times);
    const shown = (list, digits) => {
      const sorted = list.toSorted((left, right) => left - right);
      return `median ${median(sorted).toFixed(digits)}, worst ${sorted.at(-1).toFixed(digits)}`;
    };
    console.log(`first line of the conversation: ${shown(times.line, 0)} ms (before: 300)`);
    console.log(`a key shown while ${LINES} lines stream: ${shown(times.key, 1)} ms (before: 1)`);
    console.log(`processor time with ${LINES} streamed lines: ${shown(times.processor, 2)} s (before: 1.1)`);
  } finally {
    await worker.terminate();
    rmSync(base, { recursive: true, force: true });
  }
}

async function talk({ base, port, round }, times) {
  const [workspace, home] = [`work-${round}`, `home-${round}`].map((name) => join(base, name));
  for (const folder of [workspace, home]) mkdirSync(folder);
  const began = performance.now();
  const child = pty.spawn(process.execPath, [program], {
    cols: 100,
    rows: 30,
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_MODEL: 'bench',
    },
  });
  let seen = '';
  let wanted = null;
  child.onData((data) => {
    seen += data;
    if (wanted?.pattern.test(seen)) wanted.resolve(performance.now() - wanted.from);
  });
  const see = (pattern, from = performance.now()) =>
    new Promise((resolve, reject) => {
      if (pattern.test(seen)) return resolve(performance.now() - from);
      wanted = { pattern, resolve, from };
      setTimeout(() => reject(new Error(`waited in vain for ${pattern}`)), 60_000).unref();
    });
  try {
    times.line.push(await see(/Toolwright with/, began));
    await see(/Toolwright with[\s\S]*> /);
    seen = '';
    child.write('go\r');
    await see(/Line 40 /);
    let isOver = false;
    for (let count = 1; count <= KEYS && !isOver; count++) {
      await new Promise((resolve) => setTimeout(resolve, 7));
      seen = '';
      const from = performance.now();
      child.write('q');
      const took = await see(new RegExp(`[+>] [^\\n]*q{${count}}`), from);
      // On a busy machine the answer may end before the keys do.
      isOver = !/\+ [^\n]*q/.test(seen);
      if (!isOver) times.key.push(took);
    }
    if (!isOver) await see(new RegExp(`Line ${LINES} `));
    if (!isOver) await see(/bench[^\n]*default[\s\S]*> /);
    times.processor.push(processorSeconds(child.pid));
  } finally {
    child.kill('SIGKILL');
  }
}

/** User and system time of a process, from Linux. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
