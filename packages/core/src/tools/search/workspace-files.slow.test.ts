import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSearchWorkspace, type SearchWorkspace } from './fixtures/search-workspace.js';
import { listWorkspaceFiles } from './workspace-files.js';

let search: SearchWorkspace | undefined;
afterEach(() => search?.temp.cleanup());

async function listed(first: readonly string[] = [], most = 1000): Promise<string[]> {
  const { signal } = new AbortController();
  const paths: string[] = [];
  await listWorkspaceFiles(search!.host, {
    signal,
    first,
    onFile: (path) => paths.push(path) < most,
  });
  return paths;
}

it('the list of workspace files lists every file once: given ones first, then the top of the workspace with its folders, then the rest', async () => {
  search = createSearchWorkspace({
    'src/deep/b.ts': '',
    'src/a.ts': '',
    'README.md': '',
    'dist/x.js': '',
    '.gitignore': 'dist\n',
  });
  const paths = await listed(['src/deep/b.ts', 'gone.ts', 'dist/x.js', '../outside.ts']);
  expect(paths).toEqual(['src/deep/b.ts', '.gitignore', 'README.md', 'src/', 'src/a.ts']);
});

it('the list of workspace files leaves out what ignore files name, also further down, and stops when no more is wanted', async () => {
  search = createSearchWorkspace({
    'sub/.toolwrightignore': 'secret*\n',
    'sub/secret.txt': '',
    'sub/open.txt': '',
    '.git/config': '',
  });
  expect((await listed()).sort()).toEqual(['sub/', 'sub/.toolwrightignore', 'sub/open.txt']);
  expect(await listed([], 1)).toEqual(['sub/', expect.any(String)]);
});

it('the list of workspace files lists many files while other work is done', async () => {
  const names = Array.from(
    { length: 1_500 },
    (_, at) => `many/folder-${at % 50}/a-file-with-a-name-${at}.txt`,
  );
  search = createSearchWorkspace(Object.fromEntries(names.map((name) => [name, ''])));
  mkdirSync(join(search.host.workspace.directory, 'empty'));
  let rounds = 0;
  let goesOn = true;
  const count = (): void => {
    rounds += 1;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  const paths = await listed([], 10_000);
  goesOn = false;
  expect(paths.filter((path) => path.startsWith('many/folder')).sort()).toEqual(names.sort());
  expect(paths).toContain('empty/');
  expect(rounds).toBeGreaterThan(5);
});
