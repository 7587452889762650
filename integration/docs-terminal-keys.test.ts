import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const document = read('docs/terminal.md');

/** Rows of the table of keys and commands: the file of the test and its name. */
const rows = [...document.matchAll(/^\|[^|]+\| `([\w-]+)`: (.+?) +\|$/gm)].map(
  ([, file = '', names = '']) => ({ file: `integration/${file}.test.ts`, names: names.split(' · ') }),
);

it('every test that the document of the terminal names is there', () => {
  expect(rows.length).toBeGreaterThan(30);
  const missing = rows.flatMap(({ file, names }) => {
    const source = existsSync(`${root}${file}`) ? read(file).replaceAll("\\'", "'") : '';
    return names.filter((name) => !source.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

it('every picture that it shows is there', () => {
  const shown = [...document.matchAll(/pictures\/([\w-]+\.svg)/g)].map(([, name]) => `docs/pictures/${name}`);
  expect(shown.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
});
