import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { blocksOf, patternOf } from './documents/blocks.js';
import { createReaderProject, tsc } from './documents/reader-project.js';

const readme = readFileSync(new URL('../packages/machine/README.md', import.meta.url), 'utf8');
const [example] = blocksOf(readme).filter(({ language }) => language === 'ts');
const project = createReaderProject();
afterAll(() => project.cleanup());

it('the example of packages/machine/README.md compiles and prints what stands below it', async () => {
  const { text, prints } = example!;
  project.write('staged.ts', text);
  await promisify(execFile)(process.execPath, [tsc, '-p', project.directory]);
  const outfile = join(project.directory, 'staged.mjs');
  await build({
    absWorkingDir: project.directory,
    entryPoints: ['staged.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@lydell/node-pty'],
    banner: {
      js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
    },
    logLevel: 'silent',
  });
  const workspace = join(project.directory, 'work');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  writeFileSync(join(workspace, 'notes.txt'), 'alpha\n');
  writeFileSync(join(workspace, 'src/app.ts'), 'const app = 1;\n');
  const env = { PATH: process.env['PATH'] ?? '', HOME: project.directory };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: workspace, env });
  expect(stdout.trimEnd()).toMatch(patternOf(prints!));
  expect(readFileSync(join(workspace, 'notes.txt'), 'utf8')).toBe('alpha\n');
  expect(readFileSync(join(workspace, 'src/app.ts'), 'utf8')).toBe('const app = 1;\n');
});

it('packages/machine/README.md names every room of the package', () => {
  const rooms = [...readme.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, room]) => room);
  for (const room of ['base', 'shell', 'host', 'changes', 'run-staged', 'testing'])
    expect(rooms).toContain(room);
});
