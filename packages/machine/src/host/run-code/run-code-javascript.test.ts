import { expect, it } from 'vitest';
import { missedBy, type NamedRoute } from './fixtures/routes.js';

const routes: NamedRoute[] = [
  {
    what: 'a name that a method puts together',
    files: { 's.mjs': "await import('./p'.concat(name))", 'p/a.mjs': '' },
    runs: ['p/a.mjs'],
  },
  {
    what: 'required by another name',
    files: { 's.mjs': "const load = createRequire(import.meta.url); load('./a.cjs')", 'a.cjs': '' },
    runs: ['a.cjs'],
  },
  {
    what: 'required at once',
    files: { 's.mjs': "createRequire(import.meta.url)('./a.cjs')", 'a.cjs': '' },
    runs: ['a.cjs'],
  },
  {
    what: 'required by a copy of require',
    files: { 's.cjs': "const r = require; r('./a.cjs')", 'a.cjs': '' },
    runs: ['a.cjs'],
  },
  {
    what: 'a process of Node',
    files: {
      's.mjs': "import { fork } from 'node:child_process'; fork('./w.mjs');",
      'w.mjs': "import './x.mjs'",
      'x.mjs': '',
    },
    runs: ['w.mjs', 'x.mjs'],
  },
  {
    what: 'a process whose path is put together',
    files: { 's.cjs': "require('child_process').fork(join(__dirname, 'w.js'))", 'w.js': '' },
    runs: ['w.js'],
  },
  {
    what: 'a script of another language',
    files: {
      's.mjs': "import { spawn } from 'child_process'; spawn('python3', ['-u', 'h.py'], { stdio: 'pipe' })",
      'h.py': 'import i',
      'i.py': '',
    },
    runs: ['h.py', 'i.py'],
  },
  {
    what: 'a line for the shell',
    files: {
      's.mjs': "import { execSync } from 'child_process'; execSync('cd sub && ./run.sh')",
      'sub/run.sh': '',
    },
    runs: ['sub/run.sh'],
  },
  {
    what: 'a process by way of a package',
    files: { 's.mjs': "import { execa } from 'execa'; await execa('bash', ['run.sh'])", 'run.sh': '' },
    runs: ['run.sh'],
  },
  {
    what: 'a function that was made to start processes',
    files: {
      's.mjs': "import cp from 'child_process'; const run = promisify(cp.execFile); run(a)",
      'run.sh': '',
    },
    runs: ['run.sh'],
  },
  {
    what: 'text that is run in a context',
    files: { 's.mjs': "vm.runInThisContext(readFileSync('x.js', 'utf8'))", 'x.js': '' },
    runs: ['x.js'],
  },
  {
    what: 'text that is evaluated',
    files: { 's.cjs': "eval(require('fs').readFileSync('x.js', 'utf8'))", 'x.js': '' },
    runs: ['x.js'],
  },
  {
    what: 'text that becomes a function',
    files: { 's.cjs': "new Function(text('x.js'))()", 'x.js': '' },
    runs: ['x.js'],
  },
  {
    what: 'hooks of the loader',
    files: {
      's.mjs': "import { register } from 'node:module'; register('./hooks.mjs', import.meta.url)",
      'hooks.mjs': '',
    },
    runs: ['hooks.mjs'],
  },
  {
    what: 'a library that is opened',
    files: { 's.cjs': "process.dlopen(module, './a.node')", 'a.node': '' },
    runs: ['a.node'],
  },
  {
    what: 'what the package calls itself',
    files: {
      'package.json': '{"name":"me","exports":{"./x":{"import":"./x.mjs"}}}',
      's.mjs': "import 'me/x'",
      'x.mjs': "import './y.mjs'",
      'y.mjs': '',
    },
    words: ['node', 's.mjs'],
    runs: ['x.mjs', 'y.mjs', 'package.json'],
  },
  {
    what: 'a name written like an address',
    files: { 's.mjs': "import './a%20b.mjs'", 'a b.mjs': '' },
    runs: ['a b.mjs'],
  },
  {
    what: 'a name with an escaped letter',
    files: { 's.mjs': "import './\\u0061.mjs'", 'a.mjs': '' },
    runs: ['a.mjs'],
  },
  {
    what: 'behind what looks like a comment',
    files: { 's.mjs': "const a = '/*'; import './a.mjs'; const b = '*/';", 'a.mjs': '' },
    runs: ['a.mjs'],
  },
  {
    what: 'in a source that holds a zero byte',
    files: { 's.mjs': "const z = '\u0000'; import './a.mjs'", 'a.mjs': '' },
    runs: ['a.mjs'],
  },
  {
    what: 'behind a link behind a link',
    files: { 'c.mjs': '', 'b.mjs': '-> c.mjs', 'a.mjs': '-> b.mjs' },
    words: ['node', 'a.mjs'],
    runs: ['a.mjs', 'b.mjs', 'c.mjs'],
  },
  {
    what: 'in a folder behind a link behind a link',
    files: { 'v2/s.mjs': '', now: '-> v2', srv: '-> now' },
    words: ['node', 'srv/s.mjs'],
    runs: ['srv', 'now', 'v2/s.mjs'],
  },
];

it.each(routes)('a file that JavaScript loads or starts counts as run: $what', async (route) => {
  expect(await missedBy(route)).toEqual([]);
});

it('a file counts as run behind a source too long to be read', async () => {
  const source = `${'// filler\n'.repeat(450_000)}import './a.mjs'`;
  expect(
    await missedBy({ files: { 's.mjs': source, 'a.mjs': '' }, words: ['node', 's.mjs'], runs: ['a.mjs'] }),
  ).toEqual([]);
});

it('a program of the system that a server starts makes nothing else count', async () => {
  const source =
    "import { execFile } from 'node:child_process'; execFile('git', ['log', name], done); /x/.exec(line);";
  const files = { 's.mjs': source, 'other.mjs': '' };
  expect(await missedBy({ files, words: ['node', 's.mjs'], runs: ['s.mjs', 'other.mjs'] })).toEqual([
    'other.mjs',
  ]);
});
