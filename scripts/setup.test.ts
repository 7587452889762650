import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import configuration from '../vitest.config.js';

const { isBuildFresh, isInstalled, noteBuild, packages, sourcesNow } = await import(
  new URL('./setup.mjs', import.meta.url).href
);

/** A repository with one source for each package, and a function that writes a file of it. */
function openRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-fresh-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text = ''): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const name of packages) write(`packages/${name}/src/index.ts`);
  mkdirSync(join(folder, 'packages/cli/dist'));
  return { folder, write };
}

it('a folder in which nothing was built holds no fresh build', () => {
  expect(isBuildFresh(openRepository().folder)).toBe(false);
});

it.each<[string, boolean]>([
  ['packages/core/src/tools/new-tool.ts', false],
  ['packages/web/src/page/style.css', false],
  ['packages/core/tsconfig.build.json', false],
  ['scripts/common-js.mjs', false],
  ['packages/core/src/tools/new-tool.test.ts', true],
  ['packages/core/src/tools/fixtures/sample.json', true],
  ['docs/tools.md', true],
])('a build after which %s was written is fresh: %s', (path, isFresh) => {
  const { folder, write } = openRepository();
  noteBuild(sourcesNow(folder), folder);
  expect(isBuildFresh(folder)).toBe(true);
  write(path);
  expect(isBuildFresh(folder)).toBe(isFresh);
});

it('a build counts as stale after each file was written that makes it', () => {
  const made = new Set<string>();
  const meet = (name: string): void => {
    if (made.has(name)) return;
    made.add(name);
    const text = readFileSync(new URL(name, import.meta.url), 'utf8');
    for (const [, imported = ''] of text.matchAll(/from '(\.\/[\w-]+\.mjs)'/g)) meet(imported);
  };
  meet('./build.mjs');
  const unnoticed = [...made].filter((name) => {
    const { folder, write } = openRepository();
    noteBuild(sourcesNow(folder), folder);
    write(join('scripts', name));
    return isBuildFresh(folder);
  });
  expect(unnoticed).toEqual([]);
});

it('a source that changed while the build was made leaves it stale', () => {
  const { folder } = openRepository();
  const before = sourcesNow(folder);
  utimesSync(join(folder, 'packages/mcp/src/index.ts'), 1, 1);
  noteBuild(before, folder);
  expect(isBuildFresh(folder)).toBe(false);
});

it.each(['integration', 'long'])('a run of %s tests first builds the program where it is stale', (wanted) => {
  const { projects } = configuration.test as {
    projects: { test: { name: string; globalSetup?: string[] } }[];
  };
  const project = projects.find(({ test }) => test.name === wanted)!;
  expect(project.test.globalSetup?.[0]).toBe('integration/fresh-program.ts');
});

const lock = (packages: Record<string, object>): string => JSON.stringify({ packages });
const wanted = {
  '': { name: 'all' },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/of-another-system': { version: '2.0.0', optional: true },
};

it.each<[string, Record<string, object> | null, boolean]>([
  ['nothing', null, false],
  ['what the lock file names', { 'node_modules/a': { version: '1.0.0' } }, true],
  ['another version', { 'node_modules/a': { version: '1.0.1' } }, false],
  ['less', {}, false],
  ['more', { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } }, false],
])('a folder where npm has installed %s is known to be complete or not', (_what, installed, isComplete) => {
  const { folder, write } = openRepository();
  write('package-lock.json', lock(wanted));
  if (installed) write('node_modules/.package-lock.json', lock(installed));
  expect(isInstalled(folder)).toBe(isComplete);
});

it('a list of packages that npm did not finish is none', () => {
  const { folder, write } = openRepository();
  write('package-lock.json', lock(wanted));
  write('node_modules/.package-lock.json', lock(wanted).slice(0, 40));
  expect(isInstalled(folder)).toBe(false);
});
