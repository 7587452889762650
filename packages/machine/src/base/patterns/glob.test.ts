import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandBraces, type Glob, type GlobOptions, parseGlob, splitPlainFolders } from './glob.js';

function glob(pattern: string, options: Partial<GlobOptions> = {}): Glob {
  const parsed = parseGlob(pattern, { caseSensitive: true, ...options });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

describe('a glob', () => {
  const cases: [pattern: string, fitting: string[], others: string[]][] = [
    ['*.ts', ['a.ts'], ['src/a.ts', 'a.js']],
    ['**/*.ts', ['a.ts', 'src/a.ts', 'src/b/c.d.ts'], ['a.tsx']],
    ['./src/*.ts', ['src/a.ts'], ['a.ts']],
    ['src/', ['src/a', 'src/b/c'], ['src', 'other/src/a']],
    ['src/**/*.{ts,js}', ['src/a.ts', 'src/x/y.js'], ['src/a.css', 'a.ts']],
    ['{src,test}/*', ['src/a', 'test/b'], ['lib/a']],
    ['a{,.min}.js', ['a.js', 'a.min.js'], ['amin.js']],
    ['{a,b{c,d}}', ['a', 'bc', 'bd'], ['b', 'c']],
    ['{a}', ['{a}'], ['a']],
    ['a\\{b,c\\}', ['a{b,c}'], ['ab']],
    ['app/[slug]/page.tsx', ['app/[slug]/page.tsx', 'app/s/page.tsx'], ['app/x/page.tsx']],
    ['**/.*', ['.env', 'a/.env'], ['env']],
  ];

  it.each(cases)('%s fits what it should and nothing else', (pattern, fitting, others) => {
    const { fits } = glob(pattern);
    expect(fitting.filter((path) => !fits(path))).toEqual([]);
    expect(others.filter(fits)).toEqual([]);
  });

  it('without a slash fits a name at any depth where asked to', () => {
    expect(glob('*.ts', { nameAtAnyDepth: true }).fits('a/b/c.ts')).toBe(true);
    expect(glob('b/*.ts', { nameAtAnyDepth: true }).fits('a/b/c.ts')).toBe(false);
  });

  it('says what is wrong with a pattern it will not take', () => {
    const options = { caseSensitive: true };
    expect(parseGlob('a\0b', options)).toEqual({ problem: 'contains a NUL character' });
    expect(parseGlob('a'.repeat(3000), options)).toEqual({ problem: 'is longer than 2048 characters' });
    expect(parseGlob('{a,b}'.repeat(400), options)).toEqual({ problem: 'stands for more than 256 patterns' });
    expect(parseGlob('{'.repeat(2000), options)).toHaveProperty('fits');
  });
});

describe('name sketches', () => {
  it.each([
    ['src/**/*.ts', ['*.ts']],
    ['**/*.{ts,js}', ['*.ts', '*.js']],
    ['a b:c.md', ['a*b*c.md']],
    ['x/[ab]?.é', ['*.*', '*ab*.*']],
    ['src/**', []],
    ['{a.ts,b/*}', []],
  ])('of %s keep only what every engine reads alike', (pattern, sketches) => {
    expect(glob(pattern).nameSketches).toEqual(sketches);
  });

  it('spell out both cases where case does not matter', () => {
    expect(glob('Read.me', { caseSensitive: false }).nameSketches).toEqual(['[rR][eE][aA][dD].[mM][eE]']);
  });

  it('fit every name that the glob fits', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '*',
      '?',
      '**',
      '/',
      '{a,b}',
      '[ab]',
      '[',
      '.',
      ':',
      'é',
      '-',
      '!',
      ',',
    );
    const name = fc.array(fc.constantFrom('a', 'B', 'b', '.', ':', 'é', '-', '/', '[', ']'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), name, fc.boolean(), (pieces, names, caseSensitive) => {
        const path = names.join('');
        const { fits, nameSketches } = glob(pieces.join(''), { caseSensitive });
        const base = path.slice(path.lastIndexOf('/') + 1);
        if (!fits(path) || nameSketches.length === 0) return;
        expect(nameSketches.some((sketch) => glob(sketch).fits(base))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

it('braces expand in order, nested ones too', () => {
  expect(expandBraces('x{a,b{1,2},}y')).toEqual(['xay', 'xb1y', 'xb2y', 'xy']);
  expect(expandBraces('{a,b}{c,d}')).toEqual(['ac', 'ad', 'bc', 'bd']);
  expect(expandBraces('{a,{b,c}')).toEqual(['{a,b', '{a,c']);
});

it.each([
  ['**/*.ts', '', '**/*.ts'],
  ['src/lib/*.ts', 'src/lib', '*.ts'],
  ['/work/src/**/a', '/work/src', '**/a'],
  ['/a', '/', 'a'],
  ['a.ts', '', 'a.ts'],
  ['src/', 'src', '**'],
  ['../x/*', '../x', '*'],
  ['a/{b,c}/d', 'a', '{b,c}/d'],
])('splits %s into plain folders and the rest', (pattern, folder, rest) => {
  expect(splitPlainFolders(pattern)).toEqual({ folder, rest });
});
