import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Tool, textOf } from '@toolwright/core';
import { checkTool, createTempWorkspace } from '@toolwright/core/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from './documents/blocks.js';

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const outfile = pathOf(`node_modules/.cache/contributing-${process.pid}.mjs`);
const folder = createTempWorkspace({
  content: { 'two.txt': 'one\r\ntwo', 'one.txt': 'one\n', 'empty.txt': '', 'hush.txt': '' },
});

describe('the sample tool of CONTRIBUTING.md', () => {
  let entry: { name: string; isFor(path: string): boolean };
  let tool: Tool;
  beforeAll(async () => {
    const [sample, , written] = blocksOf(readFileSync(pathOf('CONTRIBUTING.md'), 'utf8'));
    const resolveDir = pathOf('packages/core/src/tools');
    await build({
      stdin: { contents: `export const [entry] = [${written!.text}];`, resolveDir, loader: 'ts' },
      plugins: [
        {
          name: 'sample',
          setup(builder) {
            builder.onResolve({ filter: /^\.\/count-lines\.js$/ }, () => ({
              path: 'x',
              namespace: 'sample',
            }));
            builder.onLoad({ filter: /./, namespace: 'sample' }, () => ({
              contents: sample!.text,
              resolveDir,
              loader: 'ts',
            }));
          },
        },
      ],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    const made = await import(pathToFileURL(outfile).href);
    entry = made.entry;
    tool = await made.entry.make({
      host: folder,
      hidden: (path: string) => path === folder.path('hush.txt'),
    });
  });
  afterAll(async () => {
    rmSync(outfile, { force: true });
    await folder.cleanup();
  });

  it.each([
    ['two.txt', 'two.txt has 2 lines.'],
    ['one.txt', 'one.txt has 1 line.'],
    ['empty.txt', 'empty.txt has 0 lines.'],
    ['tow.txt', 'tow.txt does not exist. Did you mean two.txt?'],
    ['hus.txt', 'hus.txt does not exist. Use glob to look for it.'],
  ])('answers for %s: %s', async (path, said) => {
    const { llmContent } = await tool.execute({ path }, new AbortController().signal);
    expect(textOf(llmContent)).toBe(said);
  });

  it('has an entry that names it and the files it comes with', () => {
    expect([entry.name, entry.isFor('a.csv'), entry.isFor('a.ts')]).toEqual([tool.name, true, false]);
  });

  it('keeps what users of a tool rely on', async () => {
    const samples = { valid: [{ path: 'one.txt' }], invalid: [{ path: '' }], directory: folder.directory };
    expect(await checkTool(tool, samples)).toEqual([]);
  });
});
