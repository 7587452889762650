/** Measures the cost of telemetry for a prompt with a call: a collector that takes all, is slow, refuses, or is not there, against none. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeModelServer } from '../packages/core/dist/testing/index.js';
import { interleaved, report, root } from './measure.mjs';

const ROUNDS = 120;
const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const read = { calls: [{ name: 'read_file', arguments: { absolute_path: 'a.txt' } }] };
const model = await startFakeModelServer({
  otherwise: ({ body }) => (body.messages.at(-1).role === 'tool' ? { text: 'ANSWER' } : read),
});
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const program = join(root, 'packages/cli/bin/toolwright.cjs');
const workspace = join(folder, 'work');
mkdirSync(workspace);
writeFileSync(join(workspace, 'a.txt'), 'a line\n');

const collectors = {
  'takes all': (_request, response) => response.end('{}'),
  'answers after a second': (_request, response) => setTimeout(() => response.end('{}'), 1_000),
  'refuses all': (_request, response) => response.writeHead(503).end(),
};
const servers = [];

async function collectorAt(name) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => collectors[name](request, response));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${server.address().port}`;
}

const sessions = [];

/** A session that is open all the time; gives what works on one prompt and resolves with the time it took. */
function sessionWith(name, endpoint) {
  const home = join(folder, name.replaceAll(' ', '-'));
  const state = join(home, '.toolwright');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  if (endpoint !== null)
    writeFileSync(join(state, 'settings.json'), JSON.stringify({ telemetry: { enabled: true, endpoint } }));
  const env = { ...inherited, HOME: home, ...model.environment() };
  const child = spawn(process.execPath, [program, '--input-format', 'stream-json'], { cwd: workspace, env });
  sessions.push(child);
  let done = () => undefined;
  child.stdout.setEncoding('utf8').on('data', (text) => text.includes('"type":"result"') && done());
  return () =>
    new Promise((resolve) => {
      const started = performance.now();
      done = () => resolve(performance.now() - started);
      child.stdin.write(`${JSON.stringify({ type: 'prompt', text: 'hello' })}\n`);
    });
}

try {
  const endpoints = { none: null, 'is not there': 'http://127.0.0.1:9' };
  for (const name of Object.keys(collectors)) endpoints[name] = await collectorAt(name);
  const prompts = Object.entries(endpoints).map(([name, endpoint]) => [name, sessionWith(name, endpoint)]);
  // The first prompt of each also starts its session.
  for (const [, prompt] of prompts) await prompt();
  const times = await interleaved(Object.fromEntries(prompts), ROUNDS);
  report('a prompt with a call and its answer, no telemetry', times.none, times.none);
  for (const name of Object.keys(endpoints).filter((each) => each !== 'none'))
    report(`with a collector that ${name}`, times[name], times.none, 1.1);
} finally {
  const ended = sessions.map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of sessions) child.stdin.end();
  await Promise.all(ended);
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
