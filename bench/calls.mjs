/** 10,000 calls of a tool that does nothing, through the whole scheduler: time per call and memory. */
import { loadSource } from './measure.mjs';

const { createCallBench, scriptedTool } = await loadSource(`
  export { createCallBench } from './packages/core/src/testing/call-bench.js';
  export { scriptedTool } from './packages/core/src/testing/scripted-tool.js';
`);

const CALLS = 10_000;
const bench = await createCallBench({
  tools: [scriptedTool('noop', { effects: [] })],
  more: { record: async () => undefined, emit: () => undefined },
});
const heapMb = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 ** 2;
};

for (let index = 0; index < 1000; index++) await bench.run([['noop']]);
const before = heapMb();
const started = performance.now();
for (let index = 0; index < CALLS; index++) await bench.run([['noop']]);
const perCall = (performance.now() - started) / CALLS;
const after = heapMb();
console.log(
  `${CALLS} no-op calls: ${perCall.toFixed(3)} ms each; heap ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after (${(after - before).toFixed(2)} MB more)`,
);
