/** A call of a tool file through its thread against the same tool in the program, and the start with tool files against none. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { interleaved, loadSource, median, report, root } from './measure.mjs';

const { createOwnToolsBench, OwnTool, defineTool } = await loadSource(`
  export { createOwnToolsBench } from './packages/core/src/tools/own/fixtures/own-tools.js';
  export { OwnTool } from './packages/core/src/tools/own/own-tool.js';
  export { defineTool } from './packages/core/src/tools/own/define-tool.js';
`);

const CALLS = 2_000;
const TARGET_MS = 1;
const outfile = join(root, 'node_modules/.cache/bench/tool-thread.mjs');
await build({
  entryPoints: [join(root, 'packages/core/src/tool-thread.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});

const bench = createOwnToolsBench();
bench.parts.thread = async () => ({ path: outfile });
const definition = (name) =>
  `export default { apiVersion: 1, name: '${name}', description: 'Does nothing.', parameters: { type: 'object', properties: {} }, effects: () => [], run: () => 'ok' };`;
bench.toolFile('noop.mjs', definition('noop'));
const started = performance.now();
const { tools } = await bench.discover();
const startMs = performance.now() - started;
const inThread = tools.get('noop');
const inProgram = new OwnTool(
  defineTool({
    apiVersion: 1,
    name: 'noop',
    description: 'Does nothing.',
    parameters: { type: 'object', properties: {} },
    effects: () => [],
    run: () => 'ok',
  }),
  bench.host,
);

/** Asks a tool everything that the scheduler asks in a call. */
async function callOnce(tool) {
  const params = Object.freeze({});
  const { signal } = new AbortController();
  await tool.prepare?.(params);
  tool.validateToolParams(params);
  await tool.effects(params);
  tool.getDescription(params);
  await tool.shouldConfirmExecute(params, signal);
  await tool.execute(params, signal);
}

const times = { program: [], thread: [] };
for (let index = 0; index < CALLS + 200; index++) {
  for (const [name, tool] of [
    ['program', inProgram],
    ['thread', inThread],
  ]) {
    const begun = performance.now();
    await callOnce(tool);
    if (index >= 200) times[name].push(performance.now() - begun);
  }
}
for (const list of Object.values(times)) list.sort((left, right) => left - right);
const [program, thread] = [median(times.program), median(times.thread)];
const overhead = thread - program;
console.log(
  `a whole call of a tool file: ${thread.toFixed(3)} ms in its thread, ${program.toFixed(3)} ms in the program (${(thread / program).toFixed(1)} x); overhead ${overhead.toFixed(3)} ms, target ${TARGET_MS} ms: ${overhead <= TARGET_MS ? 'ok' : 'MISSED'}; compiled, started and loaded in ${startMs.toFixed(0)} ms`,
);
await bench.cleanup();

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const command = join(root, 'packages/cli/bin/toolwright.cjs');
const START_TARGET = 1.1;

/** Starts the program, lists its tools and ends it, with so many tool files that have not changed since the last start. */
function starter(count) {
  const home = join(folder, `home${count}`);
  const tools = join(home, '.toolwright/tools');
  mkdirSync(tools, { recursive: true, mode: 0o700 });
  for (let index = 0; index < count; index++)
    writeFileSync(join(tools, `noop${index}.ts`), definition(`noop${index}`));
  const { NODE_EXTRA_CA_CERTS: _, OPENAI_API_KEY: _1, ...inherited } = process.env;
  return () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [command, 'tools', 'list'], {
      cwd: folder,
      env: { ...inherited, HOME: home },
      encoding: 'utf8',
    });
    const found = stdout.match(/noop\d/g)?.length ?? 0;
    if (status !== 0 || found < count) throw new Error(`${stderr}${found} of ${count} tools were found`);
  };
}

// Twice before it is measured: the first start compiles the files, the second keeps the code that it ran.
const starts = { 'no tool file': starter(0), 'one tool file': starter(1), 'five tool files': starter(5) };
for (const start of [...Object.values(starts), ...Object.values(starts)]) start();
const startTimes = await interleaved(starts, 30);
for (const [what, list] of Object.entries(startTimes))
  report(`start with ${what}`, list, startTimes['no tool file'], START_TARGET);
rmSync(folder, { recursive: true, force: true });
process.exit();
