import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run } from './setup.mjs';

const dist = join(root, 'packages/cli/dist');

/** Found at run time, because they carry files of their own (a binary, a WebAssembly module) or run in a thread. */
const external = ['@vscode/ripgrep', '@silvia-odwyer/photon-node', 'unpdf'];

export async function build() {
  await bundleCli();
  rmSync(join(root, 'packages/core/dist'), { recursive: true, force: true });
  run('node', ['node_modules/typescript/bin/tsc', '-p', 'packages/core/tsconfig.build.json']);
}

/**
 * The program as CommonJS chunks: esbuild splits ES modules only, so they are split first and each chunk is
 * then turned into CommonJS. CommonJS because it starts faster and can be compiled from a code cache.
 */
async function bundleCli() {
  const esbuild = await import('esbuild');
  const bundled = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { main: 'packages/cli/src/main.ts', help: 'packages/cli/src/help.ts' },
    outdir: dist,
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    conditions: ['import', 'module'],
    outExtension: { '.js': '.cjs' },
    chunkNames: 'chunk-[hash]',
    legalComments: 'none',
    external,
    define: { 'import.meta.url': 'importMetaUrl' },
    logLevel: 'warning',
  });
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const buildId = createHash('sha256');
  for (const { path, text } of bundled.outputFiles) {
    const { code } = await esbuild.transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minifyWhitespace: true,
      minifySyntax: true,
      supported: { 'dynamic-import': false },
      banner: usesUrl(text) ? "const importMetaUrl=require('node:url').pathToFileURL(__filename).href;" : '',
      sourcefile: basename(path),
    });
    buildId.update(code);
    writeFileSync(path, code);
  }
  writeFileSync(join(dist, 'build-id'), buildId.digest('hex').slice(0, 16));
}

function usesUrl(text) {
  return text.includes('importMetaUrl');
}

if (process.argv[1] === join(root, 'scripts/build.mjs')) await build();
