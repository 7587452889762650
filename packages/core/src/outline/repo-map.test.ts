import { expect, it } from 'vitest';
import { type MappedFile, rankFiles, renderMap, wordsOf } from './repo-map.js';

function file(path: string, names: string[], uses: string, isTouched = false): MappedFile {
  const declarations = names.map((name, index) => ({
    name,
    line: index + 1,
    depth: 0,
    text: `function ${name}()`,
  }));
  return { path, declarations, words: wordsOf(uses), isTouched };
}

const paths = (files: readonly MappedFile[]): string[] => files.map(({ path }) => path);

it('files that many others use come first', () => {
  const files = [
    file('a.ts', ['alpha'], ''),
    file('b.ts', ['beta'], 'alpha gamma'),
    file('c.ts', ['gamma'], 'alpha'),
  ];
  expect(paths(rankFiles(files))).toEqual(['a.ts', 'c.ts', 'b.ts']);
});

it('what the conversation has touched comes first, with the files that it uses', () => {
  const files = [
    file('popular.ts', ['popular'], ''),
    ...Array.from({ length: 5 }, (_, index) => file(`user${index}.ts`, [`user${index}`], 'popular')),
    file('touched.ts', ['touched'], 'needed', true),
    file('needed.ts', ['needed'], ''),
  ];
  expect(paths(rankFiles(files)).slice(0, 3)).toEqual(['needed.ts', 'touched.ts', 'popular.ts']);
});

it('names that everybody declares count for nobody', () => {
  const files = Array.from({ length: 8 }, (_, index) => file(`${index}.ts`, ['main'], 'main'));
  expect(paths(rankFiles(files))).toEqual(files.map(({ path }) => path));
});

it('a file that is too long for the budget is left out, and those behind it are not', () => {
  const long = file(
    'long.ts',
    Array.from({ length: 15 }, (_, index) => `${'name'.repeat(20)}${index}`),
    '',
  );
  const map = renderMap([file('a.ts', ['one'], ''), long, file('b.ts', ['two'], '')], 100);
  expect(map).toBe(
    'a.ts\n  1: function one()\nb.ts\n  1: function two()\n[1 more file; ask for a folder, or for more tokens.]',
  );
});

it('the map keeps the budget and says what is left out', () => {
  const files = Array.from({ length: 100 }, (_, index) => file(`${index}.ts`, ['one', 'two'], ''));
  const map = renderMap(files, 200);
  expect(map.length).toBeLessThanOrEqual(800);
  expect(map).toMatch(/^0\.ts\n {2}1: function one\(\)\n {2}2: function two\(\)\n1\.ts/);
  expect(map).toMatch(/\[\d+ more files; ask for a folder, or for more tokens\.\]$/);
});
