import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { doubledTypeNames, findViolations, importGraph, PACKAGES } from './architecture.js';

const { conditionalSpreads, longFunctions, packedMembers } = (await import(
  new URL('./house/read-sources.mjs', import.meta.url).href
)) as {
  conditionalSpreads(text: string): number[];
  packedMembers(text: string): number[];
  longFunctions(text: string, most: number): { name: string | null; lines: number }[];
};

const root = fileURLToPath(new URL('..', import.meta.url));

function ourSources(): Map<string, string> {
  const folders = Object.keys(PACKAGES).map((name) => `packages/${name}/src`);
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

it('the check of the house finds no breach of the layer order, no cycle and no oversized file in the sources', () => {
  const sources = ourSources();
  const edges = [...importGraph(sources).values()].reduce((sum, targets) => sum + targets.length, 0);
  expect(edges).toBeGreaterThan(sources.size / 2);
  expect(findViolations(sources)).toEqual([]);
});

it('has room for more tools: the sample of CONTRIBUTING.md, added ten times, breaks no rule of the house', () => {
  const [, sample] =
    /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? [];
  const sources = ourSources();
  for (let index = 0; index < 10; index++)
    sources.set(`packages/core/src/tools/count-lines-${index}.ts`, sample ?? '');
  expect(sample).toContain('class CountLinesTool');
  expect(findViolations(sources)).toEqual([]);
});

const injected: [string, Record<string, string>, RegExp][] = [
  [
    'an import against the layer order',
    { 'model/a.ts': "import { b } from '../tools/b.js';", 'tools/b.ts': 'export const b = 1;' },
    /model\/a\.ts imports .*tools\/b\.ts: tools comes after model/,
  ],
  [
    'a type-only import against the layer order',
    { 'tools/a.ts': "import type {\n  B,\n} from '../agent/b.js';", 'agent/b.ts': 'export type B = 1;' },
    /agent comes after tools/,
  ],
  [
    'a dynamic import against the layer order',
    { 'model/a.ts': "const b = await import('../session/b.js');", 'session/b.ts': 'export const b = 1;' },
    /session comes after model/,
  ],
  [
    'a cycle made of type-only imports',
    {
      'tools/a.ts': "import type { B } from './b.js';",
      'tools/b.ts': "export { type A } from './a.js';",
    },
    /Import cycle: .*a\.ts -> .*b\.ts -> .*a\.ts/,
  ],
  [
    'settings imported from a layer',
    { 'tools/a.ts': "import { s } from '../settings/s.js';", 'settings/s.ts': 'export const s = 1;' },
    /settings may be imported only by/,
  ],
  ['a file that is too long', { 'model/long.ts': '\n'.repeat(401) }, /401 lines; the limit is 400/],
  [
    'an unknown room',
    { 'stuff/a.ts': "import { b } from '../model/b.js';", 'model/b.ts': '' },
    /there is no layer stuff/,
  ],
  ['a folder of odds and ends', { 'tools/utils/a.ts': '' }, /named after phases or doors/],
  ['a barrel', { 'tools/index.ts': '' }, /only the package entries/],
];

it.each(injected)('the check of the house catches %s', (_name, files, message) => {
  const sources = new Map(Object.entries(files).map(([path, text]) => [`packages/core/src/${path}`, text]));
  expect(findViolations(sources).join('\n')).toMatch(message);
});

it('the check of the house catches a full folder', () => {
  const sources = new Map<string, string>();
  for (let index = 0; index < 17; index++) sources.set(`packages/core/src/serve/file-${index}.ts`, '');
  expect(findViolations(sources).join('\n')).toMatch(/serve has \d+ files; the limit is 16/);
});

const crossings: [string, string, string, RegExp][] = [
  [
    'a package that imports one above it',
    'machine/src/host/a.ts',
    '@toolwright/core',
    /machine must not import core/,
  ],
  [
    'the doctor reaching behind the public names of core',
    'doctor/src/a.ts',
    '@toolwright/core/tools/edit.js',
    /doctor uses the public names of @toolwright\/core only/,
  ],
  [
    'the CLI reaching into core by a relative path',
    'cli/src/a.ts',
    '../../core/src/tools/edit.js',
    /cli uses the public names of @toolwright\/core only/,
  ],
  [
    'the page reaching behind the public names of core',
    'web/src/page/a.tsx',
    '@toolwright/core/tools/edit.js',
    /web uses the public names of @toolwright\/core only/,
  ],
  [
    'the CLI going around core to the machine',
    'cli/src/a.ts',
    '@toolwright/machine/host/http/http.js',
    /cli must not import machine/,
  ],
];

it.each(crossings)('the check of the house catches %s', (_name, path, specifier, message) => {
  const imported = ['core/src/index.ts', 'core/src/tools/edit.ts', 'machine/src/host/http/http.ts'];
  const sources = new Map(imported.map((name) => [`packages/${name}`, '']));
  sources.set(`packages/${path}`, `import { x } from '${specifier}';`);
  expect(findViolations(sources).join('\n')).toMatch(message);
});

/** Everything but tests and what stands beside them. */
function productSources(): [string, string][] {
  return [...ourSources()].filter(([path]) => !/\.test(-d)?\.ts$|\/fixtures\//.test(path));
}

it('the check of the house finds no function of more than 50 lines', () => {
  const long = productSources().flatMap(([path, text]) =>
    longFunctions(text, 50).map(
      ({ name, lines }) => `${name} in ${path} has ${lines} lines; the limit is 50`,
    ),
  );
  expect(long).toEqual([]);
});

it('the check of the house catches a function of more than 50 lines, and none that it only contains', () => {
  const body = 'x();\n'.repeat(49);
  const text = `function long() {\n${body}}\nconst short = () => {\n${'y();\n'.repeat(48)}};\n`;
  expect(longFunctions(text, 50)).toEqual([{ name: 'long', lines: 51 }]);
});

it('the check of the house finds no member that is spread only under a condition: an undefined one says the same', () => {
  const spread = productSources().flatMap(([path, text]) =>
    conditionalSpreads(text).map((line) => `${path}:${line}`),
  );
  expect(spread).toEqual([]);
});

it.each([
  ['const a = { ...(x && { y }) };', 1],
  ['const a = { ...(x ? { y } : {}) };', 1],
  ['const a = { b, ...(x ? {} : { y: 1 }) };', 1],
  ['const a = { ...b, ...whole(x), y: x ? 1 : undefined };', 0],
  ['const a = [...(x ? [1] : [])];', 0],
])('the check of the house finds the conditional spreads of %s', (text, count) => {
  expect(conditionalSpreads(text)).toHaveLength(count);
});

it('the check of the house finds no members that are packed into a spread literal, in tests neither', () => {
  const packed = [...ourSources()].flatMap(([path, text]) =>
    packedMembers(text).map((line) => `${path}:${line}`),
  );
  expect(packed).toEqual([]);
});

it.each([
  ['const a = { ...{ b, c }, d };', 1],
  ['const a = {\n  d,\n  ...{ b },\n};', 1],
  ['const a = { ...b, d: { c } };', 0],
])('the check of the house finds the packed members of %s', (text, count) => {
  expect(packedMembers(text)).toHaveLength(count);
});

it('the check of the house finds no type name declared twice in a package', () => {
  expect([...doubledTypeNames(ourSources())]).toEqual([]);
});

it('the check of the house catches a type name declared twice in a package, generic or not, and takes no import for a declaration', () => {
  const sources = new Map([
    ['packages/core/src/tools/a.ts', 'export interface Twice<Kind> {}\ntype Once = 1;\n'],
    ['packages/core/src/model/b.ts', 'import {\n  type Once,\n} from "x";\n  type Twice<Kind = 1> = Kind;\n'],
    ['packages/core/src/model/b.test.ts', 'type Once = 2;\n'],
    ['packages/mcp/src/c.ts', 'type Once = 3;\n'],
  ]);
  expect([...doubledTypeNames(sources).keys()]).toEqual(['core Twice']);
});

it('the check of the house finds every file and folder that the table of docs/house.md sends a reader to', () => {
  const rows = readFileSync(join(root, 'docs/house.md'), 'utf8').split('\n');
  const start = rows.findIndex((row) => row.startsWith('| to find or change'));
  const table = rows.slice(start, rows.indexOf('', start)).join('\n');
  const named = [...table.matchAll(/`((?:cli|core|fleet|machine|web)\/[\w/.-]+)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter((path) => !existsSync(join(root, `packages/${path.replace('/', '/src/')}`)));
  expect(missing).toEqual([]);
});
