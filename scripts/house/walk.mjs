import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root } from '../setup.mjs';

/**
 * Runs one real call and prints the way it takes: each file in the order it is first entered, the file that called it,
 * and its functions. `again` marks the return to a room after another one. A call from a lower room up into a higher one
 * turns back; these are listed at the end. What modules do while they are loaded is no part of the way.
 */
const calls = {
  edit: { name: 'edit', args: { file_path: 'greeting.txt', old_string: 'hello', new_string: 'good day' } },
  shell: { name: 'run_shell_command', args: { command: 'sed -i s/hello/hi/ greeting.txt' } },
  mcp: { name: 'everything__echo', args: { message: 'hello' } },
};
const wanted = process.argv[2];
if (!calls[wanted]) {
  console.error(`usage: npm run walk -- ${Object.keys(calls).join('|')}`);
  process.exit(2);
}
ensureInstalled();
const { declarationsOf, isTest } = await import('./read-sources.mjs');
const { loadSource } = await import('../../bench/measure.mjs');
const { LAYERS } = await loadSource(`export { LAYERS } from './scripts/architecture.ts';`);

const steps = [];
globalThis.stepInto = (path, name) => steps.push({ path, name, stack: new Error().stack });
process.setSourceMapsEnabled(true);
Error.stackTraceLimit = 50;
const folder = mkdtempSync(join(tmpdir(), 'toolwright-walk-'));
try {
  printWay(await walk(calls[wanted]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function walk({ name, args }) {
  const { createToolbox, parseServer } = await loadInstrumented();
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'greeting.txt'), 'hello\n');
  const toolbox = await createToolbox({
    workspace,
    stateFolder: join(folder, 'state'),
    confirm: async () => ({ kind: 'once' }),
    ...(wanted === 'mcp' ? { mcp: { servers: [everythingServer(parseServer)] } } : {}),
  });
  if (wanted === 'mcp') await toolbox.mcp.awaitAll(AbortSignal.timeout(20_000));
  steps.length = 0;
  const [settled] = await toolbox.scheduler.run(
    [{ id: '1', name, arguments: args }],
    new AbortController().signal,
  );
  const way = steps.filter(({ stack }) => !isModuleLoad(stack));
  await toolbox.close();
  if (settled.error) throw new Error(`the call failed: ${settled.error.message}`);
  return way;
}

/** Code at the top of a module runs when the module is loaded, in a function that the bundler names after its file. */
function isModuleLoad(stack) {
  return /^ *at (async )?packages\/[^ ]+\.ts \(/m.test(stack);
}

function everythingServer(parseServer) {
  const program = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  return {
    config: parseServer('everything', { command: process.execPath, args: [program] }, 'the walk'),
    place: '',
  };
}

/** The library as one file in which every named function reports that it was entered. */
async function loadInstrumented() {
  const { build } = await import('esbuild');
  const outfile = join(root, 'node_modules/.cache/walk', `core-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: `export { createToolbox } from './packages/core/src/index.ts';
        export { parseServer } from './packages/mcp/src/contract/server-config.ts';`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
    sourcemap: 'inline',
    plugins: [{ name: 'report functions', setup: reportFunctions }],
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

function reportFunctions({ onLoad }) {
  onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    return { contents: isTest(path) ? text : withReports(text, relative(root, path)), loader: 'ts' };
  });
}

function withReports(text, path) {
  const insertions = declarationsOf(text)
    .functions.filter(({ name, node }) => name && !node.generator)
    .flatMap(({ name, node, bodyIsExpression }) => {
      const report = `stepInto(${JSON.stringify(path)}, ${JSON.stringify(name)})`;
      if (!bodyIsExpression) return [{ at: node.body.start + 1, text: `${report};` }];
      return [
        { at: node.body.start, text: `(${report}, ` },
        { at: node.body.end, text: ')' },
      ];
    });
  insertions.sort((left, right) => right.at - left.at);
  return insertions.reduce((done, { at, text: added }) => done.slice(0, at) + added + done.slice(at), text);
}

function printWay(way) {
  const files = new Map();
  const turns = new Map();
  for (const { path, name, stack } of way) {
    const caller = /(packages\/[a-z]+\/src\/[^:)\s]+)/.exec(stack.split('\n')[3] ?? '')?.[1];
    const met = files.get(path);
    if (met) met.names.add(name);
    else files.set(path, { caller, names: new Set([name]) });
    if (caller && layerOf(caller) < layerOf(path)) {
      const turn = `${short(caller)} -> ${short(path)} ${name}`;
      turns.set(turn, (turns.get(turn) ?? 0) + 1);
    }
  }
  const visits = printFiles(files);
  console.log(`\n${files.size} files in ${visits.size} rooms, ${way.length} calls of named functions`);
  const repeated = [...visits].filter(([, count]) => count > 1);
  console.log(`rooms entered more than once: ${repeated.length}`);
  for (const [room, count] of repeated) console.log(`  ${room} (${count} times)`);
  console.log(`calls that turn back, from a lower room up into a higher one: ${turns.size}`);
  for (const [turn, count] of turns) console.log(`  ${turn}${count > 1 ? ` (${count} times)` : ''}`);
}

/** Returns how many times each room was entered: files of one room in a row count once. */
function printFiles(files) {
  const visits = new Map();
  let here;
  for (const [path, { caller, names }] of files) {
    const room = roomOf(path);
    const isReturn = room !== here && visits.has(room);
    if (room !== here) visits.set(room, (visits.get(room) ?? 0) + 1);
    here = room;
    const from = caller && caller !== path ? `from ${short(caller)}` : '';
    console.log(
      `${isReturn ? 'again ' : '      '}${short(path).padEnd(44)} ${from.padEnd(44)} ${[...names].join(', ')}`,
    );
  }
  return visits;
}

function layerOf(path) {
  return LAYERS.indexOf(roomOf(path));
}

function roomOf(path) {
  const [of, first] = short(path).replace(/\.ts$/, '').split('/');
  return LAYERS.includes(of) ? of : `${of}/${first}`;
}

function short(path) {
  return path.replace(/^packages\/([a-z]+)\/src\//, '$1/');
}
