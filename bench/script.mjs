/** A change in a hundred files by one script, against single calls and against many calls at once: turns, bytes, time. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSource, median, root } from './measure.mjs';

const { createAgent, startFakeModelServer } = await loadSource(`
  export { createAgent } from './packages/core/src/create-agent.js';
  export { startFakeModelServer } from './packages/core/src/testing/fake-model-server.js';
`);

const FILES = 100;
const ROUNDS = 5;
/** Of the bytes and of the time that single calls take with a model that answers at once. */
const TARGETS = { bytes: 0.05, time: 1 };
const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-bench-script-')));
const names = Array.from({ length: FILES }, (_, index) => `src/file${index}.ts`);
const before = `${'const line = 1;\n'.repeat(40)}old();\n`;

const reading = (name) => ({ name: 'read_file', arguments: { absolute_path: name } });
const editing = (name) => ({
  name: 'edit',
  arguments: { file_path: name, old_string: 'old()', new_string: 'fresh()' },
});
const code = `
const paths = await tools.glob({ pattern: 'src/*.ts' });
await Promise.all(paths.map(async (path) => {
  await tools.read_file({ absolute_path: path });
  await tools.edit({ file_path: path, old_string: 'old()', new_string: 'fresh()' });
}));
return paths.length;`;

/** The calls of each answer of the model. */
const ways = {
  'single calls': names.flatMap((name) => [[reading(name)], [editing(name)]]),
  'a hundred calls at once': [names.map(reading), names.map(editing)],
  'one script': [[{ name: 'script', arguments: { code } }]],
};

async function run(way, round) {
  const workspace = join(base, `${way.replaceAll(' ', '-')}-${round}`);
  mkdirSync(join(workspace, 'src'), { recursive: true });
  for (const name of names) writeFileSync(join(workspace, name), before);
  let last = 0;
  const answers = ways[way].map((calls) => ({
    calls: calls.map((call) => ({ id: `call_${last++}`, ...call })),
  }));
  const server = await startFakeModelServer({ answers: [...answers, { text: 'Done.' }] });
  const agent = await createAgent({
    workspace,
    stateFolder: join(base, `state-${way.replaceAll(' ', '-')}-${round}`),
    model: { provider: 'openai', model: 'fake', baseUrl: server.baseUrls.openai, apiKey: 'none' },
    approvalMode: 'auto-edit',
    languages: { enabled: false },
    script: { enabled: true, thread: async () => join(root, 'packages/core/dist/script-thread.mjs') },
  });
  try {
    const from = performance.now();
    const { turns, reason } = await agent.prompt('Change them all.');
    const ms = performance.now() - from;
    const changed = names.filter((name) =>
      readFileSync(join(workspace, name), 'utf8').endsWith('fresh();\n'),
    );
    if (reason !== 'done' || changed.length !== FILES)
      throw new Error(`${way}: ${reason}, ${changed.length} files`);
    const bytes = server.requests.reduce((sum, request) => sum + request.bytes.byteLength, 0);
    return { turns, bytes, ms };
  } finally {
    await agent.close();
    await server.close();
  }
}

try {
  const measured = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const way of Object.keys(ways)) measured[way].push(await run(way, round));
  const summary = Object.fromEntries(
    Object.entries(measured).map(([way, runs]) => [
      way,
      { ...runs[0], ms: median(runs.map(({ ms }) => ms).sort((left, right) => left - right)) },
    ]),
  );
  for (const [way, { turns, bytes, ms }] of Object.entries(summary))
    console.log(`${way}: ${turns} turns, ${(bytes / 1024).toFixed(0)} kB sent, ${ms.toFixed(0)} ms`);
  const [single, script] = [summary['single calls'], summary['one script']];
  const say = (what, ratio, target) =>
    console.log(
      `${what} of a script against single calls: ${ratio.toFixed(3)} x, target ${target} x: ${ratio <= target ? 'ok' : 'MISSED'}`,
    );
  say('bytes', script.bytes / single.bytes, TARGETS.bytes);
  say('time', script.ms / single.ms, TARGETS.time);
} finally {
  await rm(base, { recursive: true, force: true });
}
