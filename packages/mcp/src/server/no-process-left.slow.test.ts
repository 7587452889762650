import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processesWith, serverFile } from '../fixtures/mcp-bench.js';

/** Connects to three servers, one of which starts children of its own, says so, and waits to be ended. */
const program = `
import { createMcpBench, never } from '../fixtures/mcp-bench.js';
const [mark, ending, slow] = process.argv.slice(2);
const bench = createMcpBench();
const shell = (name, line) => bench.open(name, { command: 'sh', args: ['-c', line, mark] });
const quoted = "'" + process.execPath + "' '" + slow + "' 60000 " + mark;
await shell('plain', 'exec ' + quoted);
const idle = "'" + process.execPath + "' -e 'setInterval(() => {}, 1e6)' " + mark;
await shell('with-children', idle + ' & setsid ' + idle + ' & exec ' + quoted);
await shell('deaf', "trap '' TERM HUP INT; " + quoted);
process.stdout.write('connected');
process.stdin.once('data', async () => {
  if (ending === 'close') { await bench.close(); process.exit(0); }
  if (ending === 'throw') setTimeout(() => { throw new Error('a bug'); });
  if (ending === 'exit') process.exit(1);
});
`;

let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-left-'));
  await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'program.mjs'),
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['close', 'a normal close'],
  ['exit', 'process.exit without a word'],
  ['throw', 'a crash of ours'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGKILL', 'kill -9'],
])('no process is left after %s', async (ending, told) => {
  const mark = `mcp-left-${ending}-${process.pid}`;
  const child = spawn(process.execPath, [join(folder, 'program.mjs'), mark, ending, serverFile('slow')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
  });
  children.add(child);
  await once(child.stdout, 'data');
  await expect.poll(() => serversOf(mark).length).toBeGreaterThanOrEqual(6);
  const started = serversOf(mark).length;
  const gone = once(child, 'exit');
  if (ending.startsWith('SIG')) child.kill(ending as NodeJS.Signals);
  else child.stdin.write('now');
  await gone;
  await expect.poll(() => serversOf(mark)).toEqual([]);
  console.log(
    `evidence: ${told}: ${started} processes of servers before, processes left ${serversOf(mark).length}`,
  );
});

function serversOf(mark: string): string[] {
  return processesWith(mark).filter((line) => !line.includes('program.mjs'));
}
