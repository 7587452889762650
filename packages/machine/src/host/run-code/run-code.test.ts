import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { changesBetween, digestCode } from './digest-code.js';
import { codeRunBy, isRunCode } from './run-code.js';

let base: string;
let root: string;
const { signal } = new AbortController();

beforeEach(() => {
  base = tempFolder();
  root = join(base, 'work');
  mkdirSync(root);
});

function write(files: Record<string, string | object>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o755 });
  }
}

const paths = async (words: string[], environment: Record<string, string> = {}, directory = root) =>
  codeRunBy({ words, directory, environment }, { roots: [root], path: '/usr/bin:/bin' });

/** The files found that exist, relative to the folder. */
async function runs(...words: string[]): Promise<string[]> {
  return existing(await paths(words));
}

async function existing(found: string[]): Promise<string[]> {
  const digest = await digestCode(found, signal);
  return Object.keys(digest).map((path) => relative(root, path));
}

describe('what a command line would run', () => {
  beforeEach(() =>
    write({
      'server.js':
        "import { a } from './lib/a.js';\nexport * from './lib/b.js';\nawait import('./lib/c.js');",
      'lib/a.js': "const d = require('./d'); const url = 'http://x'; // './no.js'",
      'lib/b.js': "new Worker(new URL('./w.js', import.meta.url));",
      'lib/c.js': "import data from './data.json' with { type: 'json' };",
      'lib/d/index.js': '',
      'lib/w.js': '',
      'lib/data.json': '{}',
      'lib/unrelated.js': '',
      'README.md': '',
    }),
  );
  const all = [
    'lib/a.js',
    'lib/b.js',
    'lib/c.js',
    'lib/d/index.js',
    'lib/data.json',
    'lib/w.js',
    'server.js',
  ];

  it.each([
    ['a script of an interpreter', ['node', 'server.js']],
    [
      'by its whole path, behind options',
      ['node', '--enable-source-maps', '-C', 'dev', './server.js', '--x'],
    ],
    ['without its ending', ['node', 'server']],
    ['behind a wrapper', ['env', 'A=b', 'timeout', '5', 'node', 'server.js']],
    ['behind xargs', ['xargs', '-r', '-P', '4', '-I', '{}', 'node', 'server.js']],
    ['by a shell', ['sh', '-c', 'cd . && exec node "server.js" "$@"']],
    ['by a runner that npx starts', ['npx', '-y', 'tsx', 'server.js']],
    ['by bun and deno', ['deno', 'run', '-A', 'server.js']],
    ['loaded first', ['node', '--import', './server.js', '-e', '1']],
    ['loaded first, in one word', ['node', '--require=./server.js', '/elsewhere.js']],
    ['in code of an argument', ['node', '-e', "import('./server.js')"]],
    ['named to a program nobody knows', ['my-runner', '--entry=server.js']],
  ])('is a file with all that it imports: %s', async (_what, words) => {
    expect(await runs(...words)).toEqual(all);
  });

  it('is a script of package.json, with what stands before and after it, and the programs of packages', async () => {
    write({
      'package.json': {
        scripts: { serve: 'NODE_ENV=x mcp-run && node server.js', preserve: './prepare.sh' },
      },
      'prepare.sh': '#!/bin/sh\nnode "$(dirname "$0")/step.js"\n',
      'step.js': '',
      'node_modules/mcp-run/package.json': { dependencies: { dep: '1' } },
      'node_modules/mcp-run/cli.js': '',
      'node_modules/dep/index.js': '',
      'node_modules/other/index.js': '',
    });
    mkdirSync(join(root, 'node_modules/.bin'));
    symlinkSync('../mcp-run/cli.js', join(root, 'node_modules/.bin/mcp-run'));
    expect(await runs('npm', 'run', 'serve', '--silent')).toEqual(
      [
        'package.json',
        'prepare.sh',
        'step.js',
        ...all,
        'node_modules/.bin/mcp-run',
        'node_modules/dep/index.js',
        'node_modules/mcp-run',
      ].sort(),
    );
    expect(await existing(await paths(['npm', '--prefix', root, 'run', 'serve'], {}, base))).toContain(
      'step.js',
    );
  });

  it('is a package that is imported, and what it depends on', async () => {
    write({
      'own.mjs': "import { z } from '@scope/pkg/deep'; import 'node:fs'; import 'fs';",
      'node_modules/@scope/pkg/package.json': { dependencies: { dep: '1' } },
      'node_modules/dep/package.json': {},
      'node_modules/other/package.json': {},
    });
    expect(await runs('node', 'own.mjs')).toEqual([
      'node_modules/@scope/pkg/package.json',
      'node_modules/dep/package.json',
      'own.mjs',
    ]);
  });

  it('is the whole package where a name is known only when it runs', async () => {
    write({
      'tool/package.json': {},
      'tool/src/main.js': 'await import(name)',
      'tool/more.js': '',
      'tool/a.md': '',
    });
    expect(await runs('node', 'tool/src/main.js')).toEqual([
      'tool/more.js',
      'tool/package.json',
      'tool/src/main.js',
    ]);
    write({ 'loose/main.pl': '', 'loose/Lib.pm': '' });
    expect(await runs('perl', 'loose/main.pl')).toEqual(['loose/Lib.pm', 'loose/main.pl']);
    write({ 'script/run.sh': 'node "$WHERE/x.js"', 'script/x.js': '' });
    expect(await runs('bash', 'script/run.sh')).toEqual(['script/run.sh', 'script/x.js']);
  });

  it('is modules of Python, beside the script or from where it starts', async () => {
    write({
      'py/main.py': 'import os, helper\nfrom pkg import thing\nfrom pkg.deep import (\n  one,\n  two)\n',
      'py/helper.py': 'from pkg import other\n',
      'py/pkg/__init__.py': 'from . import inner\n',
      'py/pkg/inner.py': '',
      'py/pkg/thing.py': '',
      'py/pkg/other.py': '',
      'py/pkg/deep/__init__.py': '',
      'py/pkg/deep/one.py': '',
      'py/pkg/unrelated.py': '',
      'py/apart.py': '',
    });
    const modules = ['__init__.py', 'deep/__init__.py', 'deep/one.py', 'inner.py', 'other.py', 'thing.py'];
    const expected = ['py/helper.py', 'py/main.py', ...modules.map((name) => `py/pkg/${name}`)];
    expect(await runs('python3', '-u', 'py/main.py')).toEqual(expected);
    expect(await existing(await paths(['python3', '-m', 'main'], {}, join(root, 'py')))).toEqual(expected);
    expect(await existing(await paths(['uv', 'run', '--directory', 'py', 'main.py']))).toEqual(expected);
    const found = await paths(['python3', 'py/main.py']);
    // Whoever makes these is loaded in the place of a module of Python.
    expect(found).toContain(join(root, 'py/json.py'));
    expect(found).not.toContain(join(root, 'py/apart.py'));
  });

  it('is a program of a virtual environment with all of that', async () => {
    write({
      '.venv/pyvenv.cfg': '',
      '.venv/bin/tool': '#!/x/.venv/bin/python\nimport sys\n',
      '.venv/lib/a.py': '',
    });
    expect(await paths(['.venv/bin/tool'])).toContain(join(root, '.venv'));
  });

  it('is what variables make a program load', async () => {
    write({ 'hook.js': "require('./lib/w.js')" });
    expect(await existing(await paths(['node', '/x.js'], { NODE_OPTIONS: '--require ./hook.js' }))).toEqual([
      'hook.js',
      'lib/w.js',
    ]);
    expect(await paths(['tool'], { PATH: `${root}/lib:/usr/bin` })).toContain(join(root, 'lib'));
    expect(await paths(['tool'], { MEMORY_FILE_PATH: join(root, 'lib/data.json') })).toEqual([]);
  });

  it('is the whole package where a configuration maps names to paths', async () => {
    write({
      'typed/package.json': {},
      'typed/tsconfig.json': { compilerOptions: { paths: { '@/*': ['./src/*'] } } },
      'typed/main.ts': "import { x } from '@/x.js'",
      'typed/src/x.ts': '',
    });
    expect(await runs('npx', 'tsx', 'typed/main.ts')).toEqual([
      'typed/main.ts',
      'typed/package.json',
      'typed/src/x.ts',
      'typed/tsconfig.json',
    ]);
  });

  it('is a file of variables that an option names', async () => {
    write({ 'run.env': 'NODE_OPTIONS=--require ./x.js' });
    expect(await runs('node', '--env-file=run.env', '/elsewhere.js')).toEqual(['run.env']);
  });

  it('is what is not there yet, where whoever makes it would be run', async () => {
    const found = await paths(['npx', '-y', '@scope/server']);
    expect(found).toContain(join(root, 'node_modules/.bin/server'));
    expect(found).toContain(join(root, 'node_modules/@scope/server'));
    expect(await paths(['node', 'missing.js'])).toContain(join(root, 'missing.js'));
  });

  it('is what links lead to', async () => {
    symlinkSync('server.js', join(root, 'link.js'));
    expect(await runs('node', 'link.js')).toEqual([...all.slice(0, 6), 'link.js', 'server.js']);
  });

  it('is nothing outside of the folders, and no data', async () => {
    expect(await paths(['mcp-server-filesystem', '.', join(root, 'lib')])).toEqual([]);
    expect(await paths(['node', '/usr/lib/x.js', 'README.md'])).toEqual([]);
    expect(await paths(['docker', 'run', '-i', 'image'])).toEqual([]);
  });

  it('ends where files name each other, and is bounded where there are many', async () => {
    write({ 'x.js': "import './y.js'", 'y.js': "import './x.js'", 'loop.sh': '#!/bin/sh\nsh loop.sh\n' });
    expect(await runs('node', 'x.js')).toEqual(['x.js', 'y.js']);
    expect(await runs('sh', 'loop.sh')).toEqual(['loop.sh']);
  });
});

describe('a change of what runs', () => {
  it('is a file that is new, different or gone, and not one that could not run', async () => {
    write({
      'package.json': {},
      'main.js': 'import(x)',
      'a.js': '1',
      'b.js': '2',
      'notes.md': '',
      '.cache/x.js': '',
    });
    const look = async () => digestCode(await paths(['node', 'main.js']), signal);
    const before = await look();
    write({ 'a.js': '3', 'c.js': '', 'notes.md': 'new', '.cache/x.js': 'new' });
    rmSync(join(root, 'b.js'));
    expect(changesBetween(before, await look())).toEqual([
      { path: join(root, 'a.js'), change: 'changed' },
      { path: join(root, 'b.js'), change: 'gone' },
      { path: join(root, 'c.js'), change: 'new' },
    ]);
    expect(isRunCode(join(root, 'any/deep.js'), root)).toBe(true);
    expect(isRunCode(join(root, 'any/README.md'), root)).toBe(false);
    expect(isRunCode(join(root, '.git/HEAD'), root)).toBe(false);
  });

  it('is not looked for any further once the call is cancelled', async () => {
    for (let count = 0; count < 50; count++)
      mkdirSync(join(root, 'package', String(count)), { recursive: true });
    const controller = new AbortController();
    const look = digestCode([join(root, 'package')], controller.signal);
    setImmediate(() => controller.abort({ kind: 'user' }));
    await expect(look).rejects.toEqual({ kind: 'user' });
  });
});
