import { expect, it } from 'vitest';
import { createFileIndex, type FileIndex } from './file-index.js';

const { signal } = new AbortController();

function indexOf(paths: readonly string[]): FileIndex {
  return createFileIndex(
    {
      list: async ({ first, onFile }) => [...first, ...paths].forEach((path) => void onFile(path)),
      now: () => 0,
    },
    signal,
  );
}

async function found(
  paths: readonly string[],
  query: string,
  { recent = [], limit = 50 }: { recent?: readonly string[]; limit?: number } = {},
): Promise<string[]> {
  const index = indexOf(paths);
  index.refresh([]);
  const items = await index.search(query, { limit, recent, signal });
  return (items ?? []).map(({ path }) => path);
}

it('a query fits by any letters in their order, the beginning of a name best, then words, then what is scattered', async () => {
  const paths = [
    'src/conversation/menus.ts',
    'menus.ts',
    'docs/menu-commands.md',
    'm/e/n/u/s.txt',
    'other.ts',
  ];
  expect(await found(paths, 'menus')).toEqual([
    'menus.ts',
    'src/conversation/menus.ts',
    'docs/menu-commands.md',
    'm/e/n/u/s.txt',
  ]);
  expect(await found(paths, 'cmds')).toEqual(['docs/menu-commands.md']);
  expect(await found(paths, 'zzz')).toEqual([]);
});

it('case does not matter, in no alphabet, and the path comes back as it is written', async () => {
  expect(await found(['Änderung.md', 'README.md', 'Ёлка.txt'], 'readme')).toEqual(['README.md']);
  expect(await found(['Änderung.md', 'README.md', 'Ёлка.txt'], 'änd')).toEqual(['Änderung.md']);
  expect(await found(['Änderung.md', 'README.md', 'Ёлка.txt'], 'ЁЛ')).toEqual(['Ёлка.txt']);
});

it('folders are offered once each; names that cannot be typed are not', async () => {
  const paths = ['a/b/one.ts', 'a/b/two.ts', 'c/', 'new\nline.ts', 'no\u00a0break.ts'];
  expect((await found(paths, '')).sort()).toEqual(['a/', 'a/b/', 'a/b/one.ts', 'a/b/two.ts', 'c/']);
});

it('among equals recent paths come first, in their order', async () => {
  const paths = ['src/a1.ts', 'src/a2.ts', 'src/a3.ts', 'src/a4.ts'];
  expect(await found(paths, 'a', { recent: ['src/a3.ts', 'src/a2.ts'] })).toEqual([
    'src/a3.ts',
    'src/a2.ts',
    'src/a1.ts',
    'src/a4.ts',
  ]);
  expect(await found(paths, '', { recent: ['src/a4.ts'], limit: 1 })).toEqual(['src/a4.ts']);
});

it('of many thousand paths each is found, also those at the borders of the blocks', async () => {
  const paths = Array.from(
    { length: 10_000 },
    (_, at) => `folder-${at % 10}/a-rather-long-name-of-a-file-${at}.ts`,
  );
  const index = indexOf(paths);
  index.refresh([]);
  expect(index.size).toBe(10_010);
  for (const at of [0, 1, 1_500, 2_047, 2_048, 4_095, 4_096, 9_999]) {
    const items = await index.search(`file-${at}.ts`, { limit: 1, recent: [], signal });
    expect(items).toEqual([{ path: paths[at], isFolder: false }]);
  }
});

it('a search gives up when the line has changed, and lets other work in between', async () => {
  const paths = Array.from({ length: 60_000 }, (_, at) => `folder-${at % 10}/file-number-${at}.ts`);
  const index = indexOf(paths);
  index.refresh([]);
  const typing = new AbortController();
  const search = index.search('f', { limit: 10, recent: [], signal: typing.signal });
  setImmediate(() => typing.abort());
  expect(await search).toBe(null);
});
