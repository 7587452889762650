import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { optionalPackages } from '../packages/machine/src/base/optional-package.js';
import { PACKAGES } from '../scripts/architecture.js';
import { blocksOf, patternOf, readDocument, tableWith } from './documents/blocks.js';
import { createReaderProject, tsc } from './documents/reader-project.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const project = createReaderProject();
afterAll(() => project.cleanup());

const readmeOf = (name: string): string => readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');

it.each(['mcp', 'doctor'])(
  'the example of packages/%s/README.md compiles and prints the text below it',
  async (name) => {
    const [example] = blocksOf(readmeOf(name)).filter(({ language }) => language === 'ts');
    const { text, prints } = example!;
    project.write(`${name}.ts`, text);
    await promisify(execFile)(process.execPath, [tsc, '-p', project.directory]);
    const outfile = join(project.directory, `${name}.mjs`);
    await build({
      absWorkingDir: project.directory,
      entryPoints: [`${name}.ts`],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['@lydell/node-pty', '@silvia-odwyer/photon-node', 'esbuild'],
      banner: {
        js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
      },
      logLevel: 'silent',
    });
    const workspace = join(project.directory, `${name}-work`);
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'notes.txt'), 'alpha\n');
    symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: project.directory };
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: workspace, env });
    expect(stdout.trimEnd()).toMatch(patternOf(prints!));
  },
);

/** The rooms that a table names, one in a row. */
function roomsIn(table: string): string[] {
  return [...table.matchAll(/^\| `?([a-z][a-z-]*)`? +\|/gm)].map(([, room]) => room!);
}

/** The rooms of a package in their order, the test kit at the end. The files that construct and connect share a row. */
function roomsOf(name: string): string[] {
  const { rooms, sideRooms = {} } = PACKAGES[name]!;
  const named = rooms.filter((room) => room !== 'index' && !room.startsWith('create-'));
  return 'testing' in sideRooms ? [...named, 'testing'] : named;
}

it.each(Object.keys(PACKAGES))(
  'packages/%s/README.md names every room of the package, in their order',
  (name) => {
    const [, table = ''] = readmeOf(name).split(/^\| room +\|.*\n/m);
    expect(roomsIn(table)).toEqual(roomsOf(name));
  },
);

it.each(['machine', 'core'])('docs/house.md names every room of %s, in their order', (name) => {
  const [, table = ''] = readDocument('house.md').split(`| room of \`${name}\` |`);
  expect(roomsIn(table.split('\n\n')[0]!)).toEqual(roomsOf(name));
});

it.each(['AGENTS.md', 'docs/house.md'])('%s names only files and folders that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const paths = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)].map(([, path]) => path!);
  const places = (path: string): string[] => [path, path.replace(/^(\w+)\//, 'packages/$1/src/')];
  expect(paths).not.toEqual([]);
  expect(paths.filter((path) => !places(path).some((each) => existsSync(join(root, each))))).toEqual([]);
});

it('docs/embedding.md tells of every optional package, in the version that fits', () => {
  const named = tableWith(readDocument('embedding.md'), 'what it is for').map(([name]) => name);
  const optional = Object.entries(optionalPackages).map(([name, { version }]) => `\`${name}@${version}\``);
  expect(named.slice(1)).toEqual(expect.arrayContaining(optional));
});
