import { expect, it } from 'vitest';
import { missedBy, type NamedRoute } from './fixtures/routes.js';

const routes: NamedRoute[] = [
  {
    what: 'a script of Node itself',
    files: { 'package.json': '{"scripts":{"x":"node s.js"}}', 's.js': '' },
    words: ['node', '--run', 'x'],
    runs: ['package.json', 's.js'],
  },
  { what: 'tests', files: { 'test/a.test.js': '' }, words: ['node', '--test'], runs: ['test/a.test.js'] },
  {
    what: 'a configuration of Node',
    files: { 's.js': '' },
    words: ['node', '--experimental-default-config-file', 's.js'],
    runs: ['node.config.json', 's.js'],
  },
  {
    what: 'what npm starts where no script says it',
    files: { 'package.json': '{}', 'server.js': "require('./a')", 'a.js': '' },
    words: ['npm', 'start'],
    runs: ['server.js', 'a.js'],
  },
  {
    what: 'a script of one package of several, by npm',
    files: {
      'packages/a/package.json': '{"name":"a","scripts":{"x":"node p.js"}}',
      'packages/a/p.js': '',
      'package.json': '{"workspaces":["packages/*"]}',
    },
    words: ['npm', 'run', 'x', '-w', 'a'],
    runs: ['packages/a/package.json', 'packages/a/p.js'],
  },
  {
    what: 'a script of one package of several, by pnpm',
    files: {
      'packages/a/package.json': '{"name":"a","scripts":{"x":"node p.js"}}',
      'packages/a/p.js': '',
      'package.json': '{"workspaces":["packages/*"]}',
    },
    words: ['pnpm', '--filter', 'a', 'run', 'x'],
    runs: ['packages/a/package.json', 'packages/a/p.js'],
  },
  {
    what: 'a script of one package of several, by yarn',
    files: {
      'packages/a/package.json': '{"name":"a","scripts":{"x":"node p.js"}}',
      'packages/a/p.js': '',
      'package.json': '{"workspaces":["packages/*"]}',
    },
    words: ['yarn', 'workspace', 'a', 'x'],
    runs: ['packages/a/package.json', 'packages/a/p.js'],
  },
  {
    what: 'scripts that a script chooses',
    files: { 'package.json': '{"scripts":{"x":"run-s y:*","y:a":"node p.js"}}', 'p.js': '' },
    words: ['npm', 'run', 'x'],
    runs: ['p.js'],
  },
  {
    what: 'lines that a script hands on',
    files: {
      'package.json': '{"scripts":{"x":"concurrently \\"node a.js\\" \\"node b.js\\""}}',
      'a.js': '',
      'b.js': '',
    },
    words: ['npm', 'run', 'x'],
    runs: ['a.js', 'b.js'],
  },
  { what: 'a line for npx', files: { 's.js': '' }, words: ['npx', '-c', 'node s.js'], runs: ['s.js'] },
  {
    what: 'what a runner of TypeScript reads',
    files: { 's.ts': '' },
    words: ['ts-node', 's.ts'],
    runs: ['tsconfig.json'],
  },
  { what: 'what a watcher reads', files: { 's.js': '' }, words: ['nodemon', 's.js'], runs: ['nodemon.json'] },
  { what: 'what bun reads', files: { 's.ts': '' }, words: ['bun', 'run', './s.ts'], runs: ['bunfig.toml'] },
  {
    what: 'a task of deno',
    files: { 'deno.json': '{"tasks":{"x":"deno run s.ts"}}', 's.ts': '' },
    words: ['deno', 'task', 'x'],
    runs: ['deno.json', 's.ts'],
  },
  {
    what: 'a list of gems',
    files: { Gemfile: '', 's.rb': '' },
    words: ['bundle', 'exec', 'ruby', 's.rb'],
    runs: ['Gemfile', 's.rb'],
  },
  {
    what: 'a folder of Ruby',
    files: { 's.rb': "require 'a'", 'lib/a.rb': '' },
    words: ['ruby', '-Ilib', 's.rb'],
    runs: ['lib/a.rb'],
  },
  {
    what: 'classes of Java',
    files: { 'build/classes/Main.class': '' },
    words: ['java', '-cp', 'build/classes:lib/*', 'Main'],
    runs: ['build/classes/Main.class', 'lib/x.jar'],
  },
  {
    what: 'a file for a program that nobody knows',
    files: { 'x.awk': '', 'x.clj': '' },
    words: ['some-runner', '-f', 'x.awk', 'x.clj'],
    runs: ['x.awk', 'x.clj'],
  },
  {
    what: 'containers that are put together here',
    files: {},
    words: ['docker', 'compose', 'run', 'mcp'],
    runs: ['compose.yaml', 'docker-compose.yml'],
  },
  { what: 'an environment of Nix', files: {}, words: ['nix', 'run', '.#srv'], runs: ['flake.nix'] },
  {
    what: 'tools of mise',
    files: { 's.js': '' },
    words: ['mise', 'exec', '--', 'node', 's.js'],
    runs: ['mise.toml', 's.js'],
  },
  {
    what: 'another folder, by env',
    files: { 'srv/s.js': "require('./a')", 'srv/a.js': '' },
    words: ['env', '-C', 'srv', 'node', 's.js'],
    runs: ['srv/a.js'],
  },
  { what: 'a line for env', files: { 's.js': '' }, words: ['env', '-S', 'node s.js'], runs: ['s.js'] },
  {
    what: 'options in the first line',
    files: { srv: '#!/usr/bin/env -S node --import ./h.mjs\n', 'h.mjs': '' },
    words: ['./srv'],
    runs: ['srv', 'h.mjs'],
  },
  {
    what: 'another folder, by pushd',
    files: { 'srv/s.js': "require('./a')", 'srv/a.js': '' },
    words: ['bash', '-c', 'pushd srv; exec node s.js'],
    runs: ['srv/a.js'],
  },
  {
    what: 'programs of a folder put before the others',
    files: { 's.sh': 'export PATH="$PWD/bin:$PATH"\nfoo', 'bin/foo': '' },
    runs: ['bin/foo'],
  },
  {
    what: 'a variable that a script sets',
    files: { 's.sh': 'export NODE_OPTIONS="--require ./h.js"\nnode s.js', 'h.js': '', 's.js': '' },
    runs: ['h.js'],
  },
  {
    what: 'a variable known later that a script sets',
    files: { 's.sh': 'export NODE_OPTIONS="--require $PWD/h.js"\nnode s.js', 'h.js': '', 's.js': '' },
    runs: ['h.js'],
  },
  {
    what: 'lines for an interpreter',
    files: { 's.sh': 'python3 <<END\nimport h\nEND\n', 'h.py': '' },
    runs: ['h.py'],
  },
  { what: 'input of an interpreter', files: { 's.sh': 'cat h.js | node -\n', 'h.js': '' }, runs: ['h.js'] },
  {
    what: 'what a search runs',
    files: { 's.sh': 'find hooks -name "*.sh" -exec sh {} \\;\n', 'hooks/a.sh': '' },
    runs: ['hooks/a.sh'],
  },
];

it.each(routes)('a file that a command line leads to counts as run: $what', async (route) => {
  expect(await missedBy(route)).toEqual([]);
});
