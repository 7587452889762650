import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTrackedCheck } from '../../host/git/git-configurations.js';
import { createIgnore } from '../../host/ignore/ignore.js';
import { createTempWorkspace, type TempWorkspace } from '../../testing/temp-workspace.js';
import type { FileChange } from '../change-set.js';
import { ignoredChanges } from './ignored-changes.js';

let temp: TempWorkspace;
beforeEach(() => {
  temp = createTempWorkspace({
    content: {
      '.gitignore':
        '__pycache__/\n*.log\nnode_modules\ndist\n.env\n.venv\nenv\nsecrets.json\nkeys\nvendor\n.yarn\nconftest.py\nsitecustomize.py\n.eslintrc.js\n.pnp.*\ncompose.override.yml\n*.pth\nCLAUDE.local.md\n',
      '.toolwrightignore': 'hidden\n',
      'env/pyvenv.cfg': '',
      'dist/tracked.js': '',
    },
  });
});
afterEach(() => temp.cleanup());

const version = { hash: 'a', size: 1, mode: 0o644 };
const made = (path: string): FileChange => ({
  kind: 'create',
  path: join(temp.directory, path),
  after: version,
});

function kept(changes: FileChange[], directories: string[] = []): string[] {
  const found = ignoredChanges(
    { changes, directories: directories.map((path) => ({ path: `${temp.directory}/${path}` })) },
    {
      ignore: createIgnore({ workspace: { rootOf } }),
      isTracked: createTrackedCheck(),
      exists: existsSync,
      rootOf,
    },
  );
  return [...found].map((path) => relative(temp.directory, path));
}

const rootOf = (path: string) =>
  path.startsWith(`${temp.directory}/`) ? { path: temp.directory, access: 'write' as const } : undefined;

describe('what is kept without a question', () => {
  test.each([
    'src/__pycache__/a.cpython-312.pyc',
    'src/__pycache__/tokenizer.cpython-312.pyc',
    'debug.log',
    'dist/index.js',
    'node_modules/.cache/babel/x.json',
    'dist/package.json',
    'dist/Makefile',
  ])('is %s, which git ignores', (path) => {
    expect(kept([made(path)])).toEqual([path]);
  });

  test('is the folder of a cache with its files', () => {
    expect(kept([made('src/__pycache__/a.pyc')], ['src/__pycache__'])).toEqual([
      'src/__pycache__/a.pyc',
      'src/__pycache__',
    ]);
  });
});

describe('what is asked about', () => {
  test.each([
    ['a file that git does not ignore', 'src/a.py'],
    ['what another ignore file alone names', 'hidden/a'],
    ['a package', 'node_modules/left-pad/index.js'],
    ['a package in a cache', 'node_modules/.cache/node_modules/x.js'],
    ['what belongs to git', '.git/__pycache__/a'],
    ['a file of a virtual environment', '.venv/lib/__pycache__/a.pyc'],
    ['a file of a virtual environment with another name', 'env/lib/__pycache__/a.pyc'],
    ['variables that may be secret', '.env'],
    ['a secret by its name', 'secrets.json'],
    ['a key', 'keys/server.pem'],
    ['a package of another language', 'vendor/autoload.php'],
    ['a package manager', '.yarn/releases/yarn.cjs'],
    ['what tests load', 'tests/conftest.py'],
    ['what the interpreter loads', 'sitecustomize.py'],
    ['what names code to load', 'src/evil.pth'],
    ['what a linter runs', '.eslintrc.js'],
    ['what every start loads', '.pnp.cjs'],
    ['what names containers to start', 'compose.override.yml'],
    ['instructions to agents', 'CLAUDE.local.md'],
    ['a file outside', '../__pycache__/a.pyc'],
  ])('is %s: %s', (_what, path) => {
    expect(kept([made(path)])).toEqual([]);
  });

  test('is what can be run, a link, what was a link, and what goes', () => {
    const at = (name: string): string => `${temp.directory}/dist/${name}`;
    expect(
      kept([
        { kind: 'create', path: at('run'), after: { ...version, mode: 0o755 } },
        { kind: 'symlink', path: at('link'), before: null, target: 'x' },
        { kind: 'modify', path: at('was'), before: { target: 'x' }, after: version },
        { kind: 'delete', path: at('gone'), before: version },
        { kind: 'mode', path: at('runs'), hash: 'a', before: 0o644, after: 0o755 },
      ]),
    ).toEqual([]);
  });

  test.each([
    ['of the workspace', '.'],
    ['above it', '..'],
  ])('is everything where the rules %s ignore whatever has a name', (_where, folder) => {
    writeFileSync(join(temp.directory, folder, '.gitignore'), '*\n!.gitignore\n');
    expect(kept([made('src/a.py'), made('dist/b.js')])).toEqual([]);
  });

  test('is an environment that the command itself made', () => {
    expect(kept([made('dist/e/pyvenv.cfg'), made('dist/e/lib/a.py'), made('dist/b.js')])).toEqual([
      'dist/b.js',
    ]);
  });

  test('is a file that git tracks although a rule names it', () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: temp.directory, stdio: 'ignore' });
    git('init', '-q');
    git('add', '-f', 'dist/tracked.js');
    expect(kept([made('dist/tracked.js'), made('dist/other.js')])).toEqual(['dist/other.js']);
  });
});
