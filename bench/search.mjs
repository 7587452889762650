/** grep_search and the file walk against the ripgrep binary itself, started with the same arguments. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, report } from './measure.mjs';

const ROUNDS = 21;
const search = await loadSource(`
  export { createToolbox } from './packages/core/src/create-toolbox.js';
  export { createFiles } from './packages/machine/src/host/files/create-files.js';
  export { createIgnore } from './packages/machine/src/host/ignore/ignore.js';
  export { createIds } from './packages/machine/src/host/node-host.js';
  export { createRipgrep } from './packages/machine/src/host/ripgrep/ripgrep.js';
  export { findRipgrep } from './packages/machine/src/host/ripgrep/ripgrep-program.js';
  export { createWorkspace } from './packages/machine/src/host/workspace.js';
  export { GlobTool } from './packages/core/src/tools/glob.js';
  export { GrepTool } from './packages/core/src/tools/grep.js';
  export { findPlace } from './packages/core/src/tools/search/place.js';
  export { listFiles } from './packages/core/src/tools/search/walk.js';
`);

const base = mkdtempSync(join(tmpdir(), 'toolwright-bench-search-'));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));
const program = await search.findRipgrep();
const signal = new AbortController().signal;

/** Files in folders of 25, every fourth with a hit. */
function makeTree(name, files, text) {
  const directory = join(base, name);
  for (let index = 0; index < files; index++) {
    const folder = join(directory, `p${Math.floor(index / 1250)}`, `m${Math.floor(index / 25) % 50}`);
    if (index % 25 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${index % 25}.ts`), text(index));
  }
  writeFileSync(join(directory, '.gitignore'), 'node_modules/\ndist/\n*.log\n.env\n');
  return directory;
}

/** A host whose ripgrep remembers how it was last called. */
function openHost(directory) {
  const workspace = search.createWorkspace({ directory });
  const ripgrep = search.createRipgrep();
  const host = {
    workspace,
    files: search.createFiles(workspace, { ids: search.createIds() }),
    ignore: search.createIgnore({ workspace }),
    ripgrep: { run: (run) => ripgrep.run((host.lastRun = run)) },
  };
  return host;
}

/** Ripgrep as a program would start it that only wants the bytes. */
function startRipgrep(args, directory) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
    let bytes = 0;
    child.stdout.on('data', (chunk) => (bytes += chunk.length));
    child.on('close', () => resolve(bytes));
  });
}

function expectText(result, beginning) {
  if (!String(result.llmContent).startsWith(beginning))
    throw new Error(`unexpected answer: ${result.llmContent}`);
}

const filler = 'const value = compute(input, options);\n'.repeat(25);
const grepTree = makeTree(
  'grep',
  20_000,
  (index) => `${filler}${index % 4 === 0 ? 'the needle is here\n' : ''}${filler}`,
);
const grepHost = openHost(grepTree);
const grep = new search.GrepTool(grepHost, { hidden: () => false });
const grepOnce = async () =>
  expectText(await grep.execute({ pattern: 'needle' }, signal), '5,000 matches in 5,000 files');
await grepOnce();
const toolbox = await search.createToolbox({ workspace: grepTree, stateFolder: join(base, 'state') });
const grepCall = async () => {
  const [{ response }] = await toolbox.scheduler.run(
    [{ id: 'call', name: 'grep_search', arguments: { pattern: 'needle' } }],
    signal,
  );
  expectText({ llmContent: response.response.output }, '5,000 matches in 5,000 files');
};
const grepArguments = ['--no-config', ...grepHost.lastRun.args];
const grepTimes = await interleaved(
  {
    ripgrep: () => startRipgrep(grepArguments, grepTree),
    tool: grepOnce,
    call: grepCall,
    plain: () => startRipgrep(['--no-config', '--hidden', '--line-number', '-e', 'needle', './'], grepTree),
  },
  ROUNDS,
);
report('grep_search, 5,000 hits in 20,000 files', grepTimes.tool, grepTimes.ripgrep, 1.15);
report('  the same against rg --line-number', grepTimes.tool, grepTimes.plain);
report(
  '  as a call, decided, bounded and kept, against rg --line-number',
  grepTimes.call,
  grepTimes.plain,
  1.2,
);
await toolbox.close();

const listTree = makeTree('list', 100_000, () => '');
const listHost = openHost(listTree);
const place = await search.findPlace(listHost, '.');
async function listOnce() {
  let files = 0;
  await search.listFiles(listHost, { place, includeIgnored: false, signal, onFile: () => ++files > 0 });
  if (files !== 100_001) throw new Error(`${files} files listed`);
}
const glob = new search.GlobTool(listHost, { hidden: () => false });
const globOnce = async (pattern, beginning) => expectText(await glob.execute({ pattern }, signal), beginning);
const listTimes = await interleaved(
  {
    ripgrep: () => startRipgrep(['--no-config', '--files', '--hidden', './'], listTree),
    listing: listOnce,
    glob: () => globOnce('**/*.ts', '100,000 files'),
    narrow: () => globOnce('**/m7/file3.ts', '80 files (newest first)'),
  },
  ROUNDS,
);
report('listing 100,000 files', listTimes.listing, listTimes.ripgrep, 1.3);
report('glob **/*.ts over them', listTimes.glob, listTimes.ripgrep);
report('glob **/m7/file3.ts over them', listTimes.narrow, listTimes.ripgrep);
