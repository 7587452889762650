import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { createSearchWorkspace, type SearchWorkspace } from './fixtures/search-workspace.js';
import { findPlace } from './place.js';
import { type Listing, listFiles, type WalkEnd } from './walk.js';

let search: SearchWorkspace | undefined;
afterEach(() => search?.temp.cleanup());

async function list(
  options: Partial<Listing> & { path?: string } = {},
): Promise<WalkEnd & { files: string[] }> {
  const { host } = search!;
  const files: string[] = [];
  const end = await listFiles(host, {
    place: await findPlace(host, options.path ?? '.'),
    includeIgnored: false,
    signal: new AbortController().signal,
    onFile: (path) => void files.push(host.workspace.show(path)),
    ...options,
  });
  return { ...end, files: files.sort() };
}

it('the walk finds a .toolwrightignore that git ignores, at the top or further down', async () => {
  search = createSearchWorkspace({
    '.gitignore': '.toolwrightignore\n',
    'sub/.toolwrightignore': 'a\n',
    'sub/a': '',
    b: '',
  });
  expect((await list()).files).toEqual(['.gitignore', 'b']);
  await search.temp.cleanup();
  search = createSearchWorkspace({
    'x/.gitignore': '.*\n!.gitignore\n',
    'x/y/.toolwrightignore': 'a\n',
    'x/y/a': '',
    b: '',
  });
  expect((await list()).files).toEqual(['b', 'x/.gitignore']);
  await search.temp.cleanup();
  search = createSearchWorkspace({
    'x/.gitignore': '.*\n',
    'x/.toolwrightignore': 'a\n',
    'x/y/a': '',
    'x/y/b': '',
  });
  expect((await list()).files).toEqual(['x/y/b']);
});

it('the walk reads .toolwrightignore files when only some names are wanted', async () => {
  search = createSearchWorkspace({
    'sub/.toolwrightignore': 'a.ts\n',
    'sub/a.ts': '',
    'b.ts': '',
    'c.md': '',
  });
  const accept = (inside: string) => inside.endsWith('.ts');
  expect((await list({ nameSketches: ['*.ts'], accept })).files).toEqual(['b.ts']);
});

it('the walk reads those above the place where the walk starts', async () => {
  search = createSearchWorkspace({
    '.toolwrightignore': '*.log\n/sub/x\n',
    'sub/a.log': '',
    'sub/x': '',
    'sub/b': '',
  });
  expect((await list({ path: 'sub' })).files).toEqual(['sub/b']);
  expect((await list({ path: 'sub', includeIgnored: true })).files).toEqual(['sub/a.log', 'sub/b', 'sub/x']);
});

it('the walk prunes by the .toolwrightignore of the root, unless one further down takes something back', async () => {
  const content = { '.toolwrightignore': 'data/\n', 'data/a': '', 'sub/data/b': '', c: '' };
  search = createSearchWorkspace(content);
  expect((await list()).files).toEqual(['.toolwrightignore', 'c']);
  search.temp.write('sub/.toolwrightignore', '!data/\n');
  expect((await list()).files).toEqual(['.toolwrightignore', 'c', 'sub/.toolwrightignore', 'sub/data/b']);
});

it('the walk stops where it is told to, by depth or by the caller', async () => {
  search = createSearchWorkspace({ a: '', 'x/b': '', 'x/y/c': '' });
  expect((await list({ maxDepth: 2 })).files).toEqual(['a', 'x/b']);
  const seen: string[] = [];
  await list({ onFile: (path) => seen.push(path) < 2 });
  expect(seen).toHaveLength(2);
});

it.each<[string, (path: string) => void]>([
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a link to a device without end', (path) => symlinkSync('/dev/zero', path)],
])('a .gitignore that is %s has no rules, and those below it count', async (_, make) => {
  search = createSearchWorkspace({
    'sub/.gitignore': 'built\n',
    'sub/built/a': '',
    'sub/b': '',
    '.toolwrightignore': 'c\n',
    c: '',
    d: '',
  });
  make(search.temp.path('.gitignore'));
  const { files, stopped } = await list();
  expect(stopped).toBeNull();
  expect(files.filter((path) => path !== '.gitignore')).toEqual([
    '.toolwrightignore',
    'd',
    'sub/.gitignore',
    'sub/b',
  ]);
  expect((await list({ path: 'sub' })).files).toEqual(['sub/.gitignore', 'sub/b']);
});
