import path from 'node:path';
import { expect, it } from 'vitest';

type Paths = Pick<typeof path, 'join' | 'resolve' | 'relative' | 'normalize'>;
const ours = (await import(new URL('./clean-paths.mjs', import.meta.url).href)) as Paths;

const names = ['', '.', '..', 'a', 'b.c', '.d', '...', 'a b', 'ü'];
const some = (list: readonly string[], most: number): string[] =>
  Array.from({ length: Math.floor(Math.random() * (most + 1)) }, () => pick(list));
const pick = (list: readonly string[]): string => list[Math.floor(Math.random() * list.length)]!;
const anyPath = (): string => `${pick(['', '', '/', '//'])}${some(names, 4).join('/')}${pick(['', '', '/'])}`;

it('the paths of the program are those that Node makes, clean or not', () => {
  for (let round = 0; round < 5_000; round++) {
    const parts = some([anyPath(), anyPath(), '/', '/work', '/work/a.txt'], 4);
    const [from = '', to = ''] = parts;
    const all = ({ join, resolve, relative, normalize }: Paths): string[] => [
      ...[join(...parts), resolve(...parts), normalize(from)],
      ...[relative(from, to), relative(from, `${from}/${to}`), relative('/work', path.join('/work', to))],
    ];
    expect(all(ours), JSON.stringify(parts)).toEqual(all(path));
  }
});

it.each(['join', 'resolve', 'normalize', 'relative'] as const)(
  '%s refuses what is no text, as Node does',
  (name) => {
    const ask = (paths: Paths) => () => (paths[name] as (...given: unknown[]) => string)(7, '/work');
    if (name === 'resolve') expect(ask(ours)()).toBe(ask(path)());
    else expect(ask(ours)).toThrow('must be of type string. Received type number (7)');
  },
);
