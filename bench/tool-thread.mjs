/** A call of a tool file through its thread, against the same tool in the program: time per call, ratio and overhead. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { loadSource, median, root } from './measure.mjs';

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
bench.toolFile(
  'noop.mjs',
  `export default { apiVersion: 1, name: 'noop', description: 'Does nothing.', parameters: { type: 'object', properties: {} }, effects: () => [], run: () => 'ok' };`,
);
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

/** All that the scheduler asks of a tool in one call. */
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
process.exit();
