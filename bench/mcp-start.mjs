/** The start with five configured MCP servers, one of them mute, against none: until the first request, and the whole run. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, report, root } from './measure.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const program = join(root, 'packages/cli/bin/toolwright.cjs');
const workspace = join(folder, 'work');
mkdirSync(workspace);

let heard = () => undefined;
const model = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    heard();
    const delta = { id: '1', choices: [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
  });
});
await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));

const registry = (name) => ({
  command: process.execPath,
  args: [join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js')],
});
const servers = {
  everything: registry('server-everything'),
  memory: registry('server-memory'),
  again: registry('server-memory'),
  files: { ...registry('server-filesystem'), args: [...registry('server-filesystem').args, workspace] },
  mute: { command: process.execPath, args: [join(root, 'integration/servers/mute.mjs')] },
};

function home(name, settings) {
  const path = join(folder, name);
  mkdirSync(join(path, 'state'), { recursive: true, mode: 0o700 });
  writeFileSync(join(path, 'state', 'settings.json'), JSON.stringify(settings));
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  return {
    ...inherited,
    HOME: path,
    TOOLWRIGHT_HOME: join(path, 'state'),
    OPENAI_API_KEY: 'key',
    OPENAI_MODEL: 'fake',
    OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`,
  };
}

const environments = { none: home('none', {}), five: home('five', { mcpServers: servers }) };
const first = { none: [], five: [] };

function run(name) {
  const started = performance.now();
  heard = () => first[name].push(performance.now() - started);
  const child = spawn(process.execPath, [program, '-p', 'hello'], {
    cwd: workspace,
    env: environments[name],
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  return new Promise((resolve, reject) =>
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(said)))),
  );
}

function processesLeft() {
  if (process.platform !== 'linux') return 'not counted: there is no /proc here';
  const mine = readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${folder}`);
    } catch {
      return false;
    }
  });
  return mine.length;
}

try {
  // The lists of four become known, and that the fifth does not answer.
  const listed = spawnSync(process.execPath, [program, 'mcp', 'list'], {
    cwd: workspace,
    env: environments.five,
    encoding: 'utf8',
  });
  console.log(listed.stdout.replace(/^ .*\n/gm, '').trimEnd());
  // The compiled code that is kept comes from the measured runs, as it does without servers.
  rmSync(join(folder, 'five/state/cache'), { recursive: true, force: true });
  const times = await interleaved({ none: () => run('none'), five: () => run('five') }, 40);
  // The first run of each is the one that warms up.
  const toRequest = (name) => first[name].slice(1).sort((left, right) => left - right);
  report('first request, no servers', toRequest('none'), toRequest('none'));
  report('first request, five servers, one mute', toRequest('five'), toRequest('none'), 1.1);
  report('whole run, no servers', times.none, times.none);
  report('whole run, five servers, one mute', times.five, times.none, 1.1);
  console.log(`processes left: ${processesLeft()}`);
} finally {
  model.close();
  model.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
