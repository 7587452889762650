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
  let tool: Tool;
  beforeAll(async () => {
    const [sample] = blocksOf(readFileSync(pathOf('CONTRIBUTING.md'), 'utf8'));
    await build({
      stdin: { contents: sample!.text, resolveDir: pathOf('packages/core/src/tools'), loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    const { CountLinesTool } = await import(pathToFileURL(outfile).href);
    tool = new CountLinesTool(folder, (path: string) => path === folder.path('hush.txt'));
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

  it('keeps what users of a tool rely on', async () => {
    const samples = { valid: [{ path: 'one.txt' }], invalid: [{ path: '' }], directory: folder.directory };
    expect(await checkTool(tool, samples)).toEqual([]);
  });
});
