/**
 * A window at the end of a 2 GB log: time, and the peak memory of a process that does nothing else.
 * Run: node bench/read-window.mjs [gigabytes]
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const LIMIT_MB = 150;
const gigabytes = Number(process.argv[2] ?? 2);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));

const reader = `
  import { closeSync, openSync, readSync } from 'node:fs';
  import { createFiles } from './packages/machine/src/host/files/create-files.js';
  import { createIds } from './packages/machine/src/host/node-host.js';
  import { createWorkspace } from './packages/machine/src/host/workspace.js';
  import { ReadFileTool } from './packages/core/src/tools/read-file.js';
  const [directory, path, offset] = process.argv.slice(2);
  const started = performance.now();
  let answer = '';
  if (offset === 'plain') {
    const descriptor = openSync(path, 'r');
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    while (readSync(descriptor, buffer) > 0);
    closeSync(descriptor);
  } else {
    const workspace = createWorkspace({ directory });
    const tool = new ReadFileTool({ workspace, files: createFiles(workspace, { ids: createIds() }) });
    const params = { absolute_path: path, offset: Number(offset), limit: 100 };
    answer = String((await tool.execute(params, new AbortController().signal)).llmContent);
  }
  const ms = performance.now() - started;
  console.log(JSON.stringify({ ms, peakMb: process.resourceUsage().maxRSS / 1024, answer }));
`;

const line = (index) =>
  `${String(index).padStart(10, '0')} GET /api/items/${index % 977} 200 in ${index % 83} ms, all is well`;

function writeLog(path, bytes) {
  const descriptor = openSync(path, 'w');
  let [written, lines] = [0, 0];
  while (written < bytes) {
    const block = Array.from({ length: 20_000 }, (_, index) => line(lines + index)).join('\n');
    written += writeSync(descriptor, `${block}\n`);
    lines += 20_000;
  }
  closeSync(descriptor);
  return lines;
}

function runReader(program, path, offset) {
  const child = spawnSync(process.execPath, [program, folder, path, String(offset)], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

function report(what, { ms, peakMb, answer }, plain, expected) {
  const verdict = peakMb < LIMIT_MB ? 'ok' : 'TOO MUCH';
  if (!answer.startsWith(`${expected}\n`))
    throw new Error(`${what}: the window begins with ${answer.slice(0, 80)}`);
  console.log(
    `${what}: ${ms.toFixed(0)} ms (${(ms / plain.ms).toFixed(2)} x reading it once), peak ${peakMb.toFixed(0)} MB of ${LIMIT_MB} MB: ${verdict}`,
  );
  if (verdict !== 'ok') process.exitCode = 1;
}

const program = join(root, 'node_modules', `.toolwright-bench-${process.pid}.mjs`);
try {
  await build({
    stdin: { contents: reader, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: program,
    logLevel: 'warning',
  });
  const path = join(folder, 'server.log');
  const lines = writeLog(path, gigabytes * 1024 ** 3);
  const run = (offset) => runReader(program, path, offset);
  run('plain');
  const plain = run('plain');
  const size = `${(statSync(path).size / 1024 ** 3).toFixed(2)} GB in ${lines} lines`;
  console.log(`${size}; reading it once: ${plain.ms.toFixed(0)} ms, peak ${plain.peakMb.toFixed(0)} MB`);
  report(`100 lines at offset ${lines - 100}`, run(lines - 100), plain, line(lines - 100));
  report('100 lines at offset -100', run(-100), plain, line(lines - 100));
  report('100 lines at offset 0', run(0), plain, line(0));
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(program, { force: true });
}
