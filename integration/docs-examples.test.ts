import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, patternOf, readDocument } from './documents/blocks.js';
import { createReaderProject, tsc } from './documents/reader-project.js';

const examples = blocksOf(readDocument('embedding.md'))
  .filter(({ language }) => language === 'ts')
  .map((block) => ({ ...block, file: /^\/\/ (\S+\.ts)\n/.exec(block.text)?.[1] ?? '' }));
const running = examples.filter(({ prints }) => prints !== undefined);

/** Carry files of their own, so they stay outside of a bundle. */
const external = ['@vscode/ripgrep', '@silvia-odwyer/photon-node', 'unpdf'];

/** The script of the model in the first example. */
const dice = {
  answers: [
    { calls: [{ name: 'roll_dice', arguments: { sides: 6 } }] },
    { calls: [{ name: 'write_file', arguments: { file_path: 'dice.txt', content: '4\n' } }] },
    { text: 'I rolled a 4 and wrote it down.' },
  ],
};

/** The examples beside each other. */
const project = createReaderProject([...external, 'ai', 'ws', '@types/ws', 'zod']);
beforeAll(async () => {
  for (const { file, text } of examples) project.write(file, text);
  await bundleExamples();
});
afterAll(() => project.cleanup());

function runNode(args: string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** All at once, so that our packages are read once. */
async function bundleExamples(): Promise<void> {
  await build({
    absWorkingDir: project.directory,
    entryPoints: running.map(({ file }) => file),
    outdir: join(project.directory, 'bundled'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external,
    banner: {
      js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
    },
    logLevel: 'silent',
  });
}

const bundled = (file: string): string => join(project.directory, 'bundled', file.replace(/\.ts$/, '.mjs'));

describe('the examples of docs/embedding.md', () => {
  it('are files with names of their own', () => {
    expect(examples.map(({ file }) => file)).not.toContain('');
    expect(new Set(examples.map(({ file }) => file)).size).toBe(examples.length);
  });

  it('compile against the types of the package', async () => {
    expect(await runNode([tsc, '-p', project.directory], project.directory)).toEqual({ code: 0, output: '' });
  });

  it('would not compile with a mistake in them', async () => {
    const { text } = examples.find(({ file }) => file === 'agent.ts')!;
    const folder = join(project.directory, 'mistaken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../tsconfig.json' }));
    writeFileSync(
      join(folder, 'agent.ts'),
      text.replace("kind: details.kind === 'edit'", 'kind: details.sort'),
    );
    const { code, output } = await runNode([tsc, '-p', folder], folder);
    expect(code).not.toBe(0);
    expect(output).toMatch(/Property 'sort' does not exist/);
    rmSync(folder, { recursive: true });
  });

  it.each(running)('$file prints what stands below it', async ({ file, prints }) => {
    const server = await startFakeModelServer(file === 'agent.ts' ? dice : {});
    const place = join(project.directory, 'runs', file);
    const workspace = join(place, 'work');
    mkdirSync(join(workspace, 'src'), { recursive: true });
    writeFileSync(join(workspace, 'notes.txt'), 'alpha\n');
    writeFileSync(join(workspace, 'src/app.ts'), 'const app = 1; // TODO: name it\n');
    try {
      const ended = await runNode([bundled(file)], workspace, {
        HOME: place,
        MODEL_URL: server.baseUrls.openai,
      });
      expect(ended.output.trimEnd()).toMatch(patternOf(prints!));
      for (const [line] of ended.output.matchAll(/^memory: .*$/gm)) console.log(`evidence: ${file}: ${line}`);
      expect(ended.code).toBe(0);
    } finally {
      await server.close();
    }
  });

  it('the agent with tool, model, questions and events takes less than 20 lines', () => {
    const { text } = examples.find(({ file }) => file === 'agent.ts')!;
    const lines = text.trim().split('\n').slice(1).length;
    expect(lines).toBeLessThan(20);
    for (const word of ['extends BaseTool', 'model:', 'confirm:', 'onEvent:']) expect(text).toContain(word);
    console.log(
      `evidence: docs/embedding.md: ${examples.length} examples compile, ${running.length} run and print what is written there; createAgent with tool, model, confirm and events: ${lines} lines`,
    );
  });
});
