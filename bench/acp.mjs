/** From the start of the program to the first words of the model: an editor over `acp` against `-p`, with the code cache warm. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeModelServer } from '../packages/core/dist/testing/index.js';
import { interleaved, report, root } from './measure.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const model = await startFakeModelServer({ otherwise: { text: 'ANSWER' } });
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const home = { HOME: folder, TOOLWRIGHT_HOME: join(folder, 'state') };
const env = { ...inherited, ...home, ...model.environment() };
const program = join(root, 'packages/cli/bin/toolwright.cjs');
const workspace = join(folder, 'work');
mkdirSync(workspace);
writeFileSync(join(workspace, 'a.txt'), 'a line\n');
const ending = [];

/** Resolves with the first words; the process ends meanwhile, before the next one starts. */
async function firstWords(args, talk) {
  await Promise.all(ending.splice(0));
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], { cwd: workspace, env });
  ending.push(new Promise((resolve) => child.on('close', resolve)));
  const heard = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      if (text.includes('ANSWER')) resolve(performance.now() - started);
    });
  });
  talk(child);
  return heard;
}

const headless = () => firstWords(['-p', 'hello'], ({ stdin }) => stdin.end());

/** Speaks as an editor does: each request once the one before is answered. */
const editor = () =>
  firstWords(['acp'], ({ stdin, stdout }) => {
    const send = (id, method, params) =>
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    let rest = '';
    stdout.on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const { id, result } of lines.map((line) => JSON.parse(line))) {
        if (id === 0) send(1, 'session/new', { cwd: workspace, mcpServers: [] });
        const prompt = [{ type: 'text', text: 'hello' }];
        if (id === 1) send(2, 'session/prompt', { sessionId: result.sessionId, prompt });
        if (id === 2) stdin.end();
      }
    });
    send(0, 'initialize', { protocolVersion: 1 });
  });

try {
  const times = { headless: [], editor: [] };
  // The time until a process has ended belongs to none of them.
  await interleaved(
    {
      headless: async () => times.headless.push(await headless()),
      editor: async () => times.editor.push(await editor()),
    },
    21,
  );
  for (const list of Object.values(times)) list.sort((left, right) => left - right);
  report('-p "hello", to the first word', times.headless, times.headless);
  report('acp: initialize, a session, the same prompt', times.editor, times.headless, 1.2);
} finally {
  await Promise.all(ending);
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
