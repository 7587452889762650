import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { toCommonJs } from './common-js.mjs';
import { behindFrontDoor } from './front-door.mjs';
import { libraries, noteBuild, root, run, sourcesNow } from './setup.mjs';

const dist = join(root, 'packages/cli/dist');

/** Found at run time, because they carry files of their own (a binary, a WebAssembly module) or run in a thread. */
const external = ['@vscode/ripgrep', '@silvia-odwyer/photon-node', 'unpdf', 'esbuild', '@lydell/node-pty'];

/** The modules of a prompt, with all their imports: put into one file, because every file more delays the first request. */
const neededForPrompt = [
  'packages/cli/src/main.ts',
  'packages/cli/src/commands/prompt/run-once.ts',
  'packages/cli/src/setup/runtime.ts',
  'packages/core/src/memory/open-context.ts',
  'packages/core/src/memory/context-files.ts',
  'packages/core/src/model/catalogue/model-table.ts',
  'packages/core/src/model/choose-model.ts',
  'packages/core/src/model/openai/client.ts',
  'packages/core/src/model/anthropic/client.ts',
  'packages/core/src/model/gemini/client.ts',
  'packages/core/src/model/offline/offline.ts',
  'packages/machine/src/base/text-codec.ts',
  'packages/machine/src/host/http/connections.ts',
  'packages/machine/src/host/http/body.ts',
  'on-first-use:node:child_process',
  'packages/machine/src/base/configuration/jsonc-parser.ts',
  'packages/core/src/tools/mcp/open-servers.ts',
  // Of those who have extensions.
  'packages/core/src/pieces/hooks/known-hooks.ts',
  'packages/core/src/pieces/hooks/read-hooks.ts',
  'packages/core/src/pieces/hooks/ask-hooks.ts',
  'packages/core/src/pieces/hooks/started-hooks.ts',
  'packages/core/src/agent/told-hooks.ts',
  'packages/core/src/pieces/extension-notes.ts',
  'packages/core/src/pieces/skills/known-list.ts',
  'packages/core/src/tools/pieces/skill.ts',
  'packages/core/src/pieces/agents/known-agents.ts',
  'packages/core/src/pieces/agents/agent-piece.ts',
  'packages/core/src/tools/pieces/agent.ts',
];

/** What every prompt runs at once, and what it runs once it knows that it is one. */
const ranByPrompt = [
  ['packages/cli/src/main.ts', 'packages/cli/src/commands/prompt/run-once.ts'],
  [
    'packages/cli/src/setup/runtime.ts',
    'packages/core/src/memory/open-context.ts',
    'packages/core/src/memory/context-files.ts',
    'packages/core/src/model/catalogue/model-table.ts',
    'packages/core/src/model/choose-model.ts',
  ],
];

/** The further modules of an editor's first prompt: in the file of the first of them, for the same reason. */
const neededForEditor = ['packages/cli/src/commands/acp.ts', 'packages/cli/src/acp/connection.ts'];

export async function build() {
  const sources = sourcesNow();
  await bundleCli();
  const page = await bundlePage();
  for (const name of libraries) {
    rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
    run('node', ['node_modules/typescript/bin/tsc', '-p', `packages/${name}/tsconfig.build.json`]);
  }
  for (const name of ['cli', 'web']) writePage(page, join(root, 'packages', name, 'dist/page'));
  for (const name of ['cli', 'core']) {
    writeGrammars(join(root, 'packages', name, 'dist/grammars'));
    await writeScriptThread(join(root, 'packages', name, 'dist/script-thread.mjs'));
  }
  noteBuild(sources);
}

/** The thread of scripts as one file with the engine in it: nothing is looked for when it starts. */
async function writeScriptThread(outfile) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['packages/core/src/script-thread.ts'],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    loader: { '.wasm': 'binary' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    legalComments: 'none',
    logLevel: 'warning',
  });
}

const languages = [
  'bash',
  'c-sharp',
  'cpp',
  'go',
  'java',
  'php',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
];
const grammars = languages.map((name) => `tree-sitter-${name}`);

/** The grammars of outlines, compressed to a fifteenth: the package they come from has twenty megabytes. */
function writeGrammars(folder) {
  const from = join(root, 'node_modules/@vscode/tree-sitter-wasm/wasm');
  mkdirSync(folder, { recursive: true });
  cpSync(join(from, 'tree-sitter.js'), join(folder, 'tree-sitter.cjs'));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
  for (const name of ['tree-sitter', ...grammars])
    writeFileSync(
      join(folder, `${name}.wasm.br`),
      brotliCompressSync(readFileSync(join(from, `${name}.wasm`)), { params }),
    );
}

/**
 * The program as CommonJS chunks: esbuild splits ES modules only, so they are split first and each chunk is
 * then turned into CommonJS. CommonJS because it starts faster and can be compiled from a code cache.
 */
async function bundleCli() {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await splitModules(esbuild);
  const program = chunksOf(neededForPrompt, metafile.outputs);
  const split = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const groups = groupsOf(ranByPrompt, metafile.outputs);
  const chunks = await toCommonJs(esbuild, split, program, groups);
  const inProgram = new Set([...groups.keys(), ...program]);
  const files = new Map([['program.cjs', inProgram]]);
  for (const name of chunks.keys()) if (!inProgram.has(name)) files.set(name, [name]);
  joinFiles(files, neededForEditor, metafile.outputs);
  files.delete('help.cjs');
  // Help runs without the rest of the program, so its chunks stay apart there.
  const help = chunksOf(['packages/cli/src/command-line/help.ts'], metafile.outputs);
  const ofHelp = await toCommonJs(esbuild, new Map([...help].map((name) => [name, split.get(name)])), help);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  // Of help nothing is kept compiled.
  writeFiles(new Map([['help.cjs', help]]), ofHelp);
  writeFileSync(join(dist, 'build-id'), writeFiles(files, chunks));
}

/** The web page: one file for the first view, and one for each part that is loaded when it is looked at. */
export async function bundlePage() {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: { page: 'packages/web/src/page/main.tsx', style: 'packages/web/src/page/style.css' },
    outdir: 'page',
    bundle: true,
    splitting: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'part-[hash]',
    plugins: [behindFrontDoor],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const source = (name) => readFileSync(join(root, 'packages/web/src/page', name), 'utf8');
  const needed = chunksOf(['packages/web/src/page/main.tsx'], metafile.outputs);
  // Listed at once, so that the browser need not find them one after the other.
  const preloads = [...needed].map((name) => `<link rel="modulepreload" href="/${name}" />`).join('\n    ');
  files.set('index.html', source('index.html').replace('</head>', `  ${preloads}\n  </head>`));
  return files.set('icon.svg', source('icon.svg'));
}

function writePage(files, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of files) writeFileSync(join(folder, name), contents);
}

function splitModules(esbuild) {
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      main: 'packages/cli/src/main.ts',
      help: 'packages/cli/src/command-line/help.ts',
      'tool-thread': 'packages/core/src/tool-thread.ts',
    },
    outdir: dist,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    conditions: ['import', 'module'],
    outExtension: { '.js': '.cjs' },
    chunkNames: 'chunk-[hash]',
    legalComments: 'none',
    // esbuild knows no Node that has them all, and a pattern that is made anew costs each start.
    supported: { 'regexp-unicode-property-escapes': true },
    external,
    define: { 'import.meta.url': 'importMetaUrl' },
    plugins: [loadedOnFirstUse, withoutFormatter, withCleanPaths, behindFrontDoor],
    logLevel: 'warning',
  });
}

/**
 * Modules of Node that take milliseconds to load, and of which we use plain functions alone: the first call loads
 * them. A name that is no such function is refused by esbuild.
 */
const slowModules = [
  'node:crypto',
  'node:fs/promises',
  'node:child_process',
  'node:timers/promises',
  'node:tty',
  'node:net',
];

/** Makes objects of a class of Node's, and is itself loaded for a child process, which needs that module anyway. */
const usesClasses = 'packages/machine/src/host/processes/launch/spawn-piped.ts';

/** The functions we use of libraries that prepare themselves for milliseconds: the first call does that. */
const slowLibraries = { marked: ['lexer'] };

const loadedOnFirstUse = {
  name: 'loaded on first use',
  setup({ onResolve, onLoad }) {
    const namespace = 'library-on-first-use';
    onResolve({ filter: /^[a-z]+$/ }, (given) =>
      Object.hasOwn(slowLibraries, given.path) && given.namespace !== namespace
        ? { path: given.path, namespace, sideEffects: false, pluginData: given.resolveDir }
        : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path, pluginData: resolveDir }) => {
      const functions = slowLibraries[path].map(
        (name) => `export const ${name} = (...given) => library().${name}(...given);`,
      );
      const load = `let loaded;\nconst library = () => (loaded ??= require('${path}'));`;
      return { contents: [load, ...functions].join('\n'), resolveDir };
    });
    onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      slowModules.includes(path) && !importer.endsWith(usesClasses)
        ? { path, namespace: 'on-first-use', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'on-first-use' }, async ({ path }) => {
      const functions = Object.entries(await import(path))
        .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name) && name !== 'default')
        .map(([name]) => `export const ${name} = (...given) => builtin().${name}(...given);`);
      const load = `let loaded;\nconst builtin = () => (loaded ??= process.getBuiltinModule('${path}'));`;
      return { contents: [load, ...functions].join('\n') };
    });
  },
};

/** Nothing of ours formats JSON, and the library prepares a thousand strings for it when it is loaded. */
const withoutFormatter = {
  name: 'without a formatter',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^(jsonc-parser$|\.)/ }, async ({ path, importer, pluginData, ...options }) => {
      const isOfLibrary = path === 'jsonc-parser' || importer.includes('/node_modules/jsonc-parser/');
      if (!isOfLibrary || pluginData === 'resolved') return undefined;
      const found = await resolve(path, { ...options, importer, pluginData: 'resolved' });
      return { ...found, sideEffects: false };
    });
  },
};

/** Our modules take the functions for paths from `clean-paths.mjs`. */
const withCleanPaths = {
  name: 'with clean paths',
  setup({ onResolve }) {
    const path = join(root, 'scripts/clean-paths.mjs');
    const ours = join(root, 'packages/');
    onResolve({ filter: /^node:path$/ }, ({ importer, kind }) =>
      kind === 'import-statement' && importer.startsWith(ours) ? { path, sideEffects: false } : undefined,
    );
  },
};

/** Each file is one expression: an object of the functions that make its chunks. Gives a digest of all files. */
function writeFiles(files, chunks) {
  const buildId = createHash('sha256');
  for (const [file, names] of files) {
    const members = [...names].map(
      (name) =>
        `${JSON.stringify(name)}:function(exports,require,module,__filename,__dirname){${chunks.get(name)}}`,
    );
    const text = `({${members.join(',\n')}})\n`;
    buildId.update(text);
    writeFileSync(join(dist, file), text);
  }
  return buildId.digest('hex').slice(0, 16);
}

/** Puts the chunks of these sources into the file of the first; those that others need too keep their own file besides. */
function joinFiles(files, [first, ...others], outputs) {
  const [entry] = chunksOf([first], outputs);
  const joined = [...chunksOf([first, ...others], outputs)].filter((name) => files.has(name));
  for (const name of joined) {
    const users = Object.keys(outputs).filter((path) =>
      outputs[path].imports.some(({ path: used }) => basename(used) === name),
    );
    if (users.every((path) => joined.includes(basename(path)))) files.delete(name);
  }
  files.set(entry, joined);
}

/**
 * The chunks of each of these lists of sources that no list before it has, by a name for them. Those that the thread of tools
 * runs, too, come first: it must not run the others.
 */
function groupsOf(lists, outputs) {
  const inThread = chunksOf(['packages/core/src/tool-thread.ts'], outputs);
  const ran = chunksOf(lists.flat(), outputs);
  const groups = [[...ran].filter((name) => inThread.has(name))];
  for (const sources of lists)
    groups.push([...chunksOf(sources, outputs)].filter((name) => !groups.flat().includes(name)));
  return new Map(groups.map((names, index) => [`joined-${index}.cjs`, new Set(names)]));
}

/** The names of the chunks of these sources and of all that they import at once. */
function chunksOf(sources, outputs) {
  const names = new Set();
  const add = (path) => {
    if (names.has(basename(path))) return;
    names.add(basename(path));
    for (const { path: next, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && outputs[next]) add(next);
  };
  for (const source of sources) {
    // By its end: node_modules may be a link to a folder elsewhere.
    const found = Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(source));
    if (found) add(found);
    // Modules that others import at once come with them.
    else if (!Object.values(outputs).some(({ inputs }) => inputs[source]))
      throw new Error(`${source} is not part of the program`);
  }
  return names;
}

if (process.argv[1] === join(root, 'scripts/build.mjs')) await build();
