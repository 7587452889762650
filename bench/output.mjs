/** A command that prints 100 MB: through the whole tool, against a process that only reads the pipe. Each in its own process. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleSource, reportProcessor } from './measure.mjs';

const ROUNDS = 9;
const command = "yes 'a line of output that is fifty characters long 0123' | head -c 100000000";
const [way, bundle] = process.argv.slice(2);

if (way === undefined) await compare();
else await measureOne(way, bundle);

async function compare() {
  const bundled = await bundleSource(
    `export { createToolbox } from './packages/core/src/create-toolbox.js';`,
  );
  const runs = { pipe: [], tool: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(runs)) {
      const printed = execFileSync(process.execPath, [
        '--expose-gc',
        fileURLToPath(import.meta.url),
        name,
        bundled,
      ]);
      runs[name].push(JSON.parse(printed.toString()));
    }
  }
  reportProcessor('100 MB read from a pipe', runs.pipe, runs.pipe);
  reportProcessor('100 MB printed by a command', runs.tool, runs.pipe, { target: 1.3, mostMegabytes: 120 });
}

async function measureOne(name, address) {
  const { work, close } =
    name === 'pipe' ? { work: readPipe, close: () => undefined } : await openTool(address);
  // Otherwise the garbage of loading the program is sometimes collected while the command prints, and sometimes not.
  globalThis.gc();
  const before = process.resourceUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const after = process.resourceUsage();
  const cpuMs = (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1000;
  console.log(JSON.stringify({ cpuMs, wallMs, megabytes: after.maxRSS / 1024 }));
  await close();
}

function readPipe() {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', () => undefined);
    child.on('close', resolve);
  });
}

async function openTool(address) {
  const { createToolbox } = await import(address);
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  const toolbox = await createToolbox({ workspace, stateFolder: join(folder, 'state') });
  const run = (line) =>
    toolbox.scheduler.run(
      [{ id: 'call', name: 'run_shell_command', arguments: { command: line } }],
      new AbortController().signal,
    );
  // The first command of a kind loads what it needs.
  await run(command.replace(/\d+$/, '40000'));
  return {
    work: async () => {
      const [settled] = await run(command);
      if (!/not kept/.test(JSON.stringify(settled.response)) && settled.response.response.error)
        throw new Error(JSON.stringify(settled.response).slice(0, 500));
    },
    close: async () => {
      await toolbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
