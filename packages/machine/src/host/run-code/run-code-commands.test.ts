import { expect, it } from 'vitest';
import { missedBy, type Route } from './fixtures/routes.js';

const routes: [string, Route][] = [
  [
    'a script of Node itself',
    {
      files: { 'package.json': '{"scripts":{"x":"node s.js"}}', 's.js': '' },
      words: ['node', '--run', 'x'],
      runs: ['package.json', 's.js'],
    },
  ],
  ['tests', { files: { 'test/a.test.js': '' }, words: ['node', '--test'], runs: ['test/a.test.js'] }],
  [
    'a configuration of Node',
    {
      files: { 's.js': '' },
      words: ['node', '--experimental-default-config-file', 's.js'],
      runs: ['node.config.json', 's.js'],
    },
  ],
  [
    'what npm starts where no script says it',
    {
      files: { 'package.json': '{}', 'server.js': "require('./a')", 'a.js': '' },
      words: ['npm', 'start'],
      runs: ['server.js', 'a.js'],
    },
  ],
  [
    'a script of one package of several, by npm',
    {
      files: {
        'packages/a/package.json': '{"name":"a","scripts":{"x":"node p.js"}}',
        'packages/a/p.js': '',
        'package.json': '{"workspaces":["packages/*"]}',
      },
      words: ['npm', 'run', 'x', '-w', 'a'],
      runs: ['packages/a/package.json', 'packages/a/p.js'],
    },
  ],
  [
    'a script of one package of several, by pnpm',
    {
      files: {
        'packages/a/package.json': '{"name":"a","scripts":{"x":"node p.js"}}',
        'packages/a/p.js': '',
        'package.json': '{"workspaces":["packages/*"]}',
      },
      words: ['pnpm', '--filter', 'a', 'run', 'x'],
      runs: ['packages/a/package.json', 'packages/a/p.js'],
    },
  ],
  [
    'a script of one package of several, by yarn',
    {
      files: {
        'packages/a/package.json': '{"name":"a","scripts":{"x":"node p.js"}}',
        'packages/a/p.js': '',
        'package.json': '{"workspaces":["packages/*"]}',
      },
      words: ['yarn', 'workspace', 'a', 'x'],
      runs: ['packages/a/package.json', 'packages/a/p.js'],
    },
  ],
  [
    'scripts that a script chooses',
    {
      files: { 'package.json': '{"scripts":{"x":"run-s y:*","y:a":"node p.js"}}', 'p.js': '' },
      words: ['npm', 'run', 'x'],
      runs: ['p.js'],
    },
  ],
  [
    'lines that a script hands on',
    {
      files: {
        'package.json': '{"scripts":{"x":"concurrently \\"node a.js\\" \\"node b.js\\""}}',
        'a.js': '',
        'b.js': '',
      },
      words: ['npm', 'run', 'x'],
      runs: ['a.js', 'b.js'],
    },
  ],
  ['a line for npx', { files: { 's.js': '' }, words: ['npx', '-c', 'node s.js'], runs: ['s.js'] }],
  [
    'what a runner of TypeScript reads',
    { files: { 's.ts': '' }, words: ['ts-node', 's.ts'], runs: ['tsconfig.json'] },
  ],
  ['what a watcher reads', { files: { 's.js': '' }, words: ['nodemon', 's.js'], runs: ['nodemon.json'] }],
  ['what bun reads', { files: { 's.ts': '' }, words: ['bun', 'run', './s.ts'], runs: ['bunfig.toml'] }],
  [
    'a task of deno',
    {
      files: { 'deno.json': '{"tasks":{"x":"deno run s.ts"}}', 's.ts': '' },
      words: ['deno', 'task', 'x'],
      runs: ['deno.json', 's.ts'],
    },
  ],
  [
    'a list of gems',
    {
      files: { Gemfile: '', 's.rb': '' },
      words: ['bundle', 'exec', 'ruby', 's.rb'],
      runs: ['Gemfile', 's.rb'],
    },
  ],
  [
    'a folder of Ruby',
    {
      files: { 's.rb': "require 'a'", 'lib/a.rb': '' },
      words: ['ruby', '-Ilib', 's.rb'],
      runs: ['lib/a.rb'],
    },
  ],
  [
    'classes of Java',
    {
      files: { 'build/classes/Main.class': '' },
      words: ['java', '-cp', 'build/classes:lib/*', 'Main'],
      runs: ['build/classes/Main.class', 'lib/x.jar'],
    },
  ],
  [
    'a file for a program that nobody knows',
    {
      files: { 'x.awk': '', 'x.clj': '' },
      words: ['some-runner', '-f', 'x.awk', 'x.clj'],
      runs: ['x.awk', 'x.clj'],
    },
  ],
  [
    'containers that are put together here',
    { files: {}, words: ['docker', 'compose', 'run', 'mcp'], runs: ['compose.yaml', 'docker-compose.yml'] },
  ],
  ['an environment of Nix', { files: {}, words: ['nix', 'run', '.#srv'], runs: ['flake.nix'] }],
  [
    'tools of mise',
    { files: { 's.js': '' }, words: ['mise', 'exec', '--', 'node', 's.js'], runs: ['mise.toml', 's.js'] },
  ],
  [
    'another folder, by env',
    {
      files: { 'srv/s.js': "require('./a')", 'srv/a.js': '' },
      words: ['env', '-C', 'srv', 'node', 's.js'],
      runs: ['srv/a.js'],
    },
  ],
  ['a line for env', { files: { 's.js': '' }, words: ['env', '-S', 'node s.js'], runs: ['s.js'] }],
  [
    'options in the first line',
    {
      files: { srv: '#!/usr/bin/env -S node --import ./h.mjs\n', 'h.mjs': '' },
      words: ['./srv'],
      runs: ['srv', 'h.mjs'],
    },
  ],
  [
    'another folder, by pushd',
    {
      files: { 'srv/s.js': "require('./a')", 'srv/a.js': '' },
      words: ['bash', '-c', 'pushd srv; exec node s.js'],
      runs: ['srv/a.js'],
    },
  ],
  [
    'programs of a folder put before the others',
    {
      files: { 's.sh': 'export PATH="$PWD/bin:$PATH"\nfoo', 'bin/foo': '' },
      words: ['bash', 's.sh'],
      runs: ['bin/foo'],
    },
  ],
  [
    'a variable that a script sets',
    {
      files: { 's.sh': 'export NODE_OPTIONS="--require ./h.js"\nnode s.js', 'h.js': '', 's.js': '' },
      words: ['bash', 's.sh'],
      runs: ['h.js'],
    },
  ],
  [
    'a variable known later that a script sets',
    {
      files: { 's.sh': 'export NODE_OPTIONS="--require $PWD/h.js"\nnode s.js', 'h.js': '', 's.js': '' },
      words: ['bash', 's.sh'],
      runs: ['h.js'],
    },
  ],
  [
    'lines for an interpreter',
    {
      files: { 's.sh': 'python3 <<END\nimport h\nEND\n', 'h.py': '' },
      words: ['bash', 's.sh'],
      runs: ['h.py'],
    },
  ],
  [
    'input of an interpreter',
    { files: { 's.sh': 'cat h.js | node -\n', 'h.js': '' }, words: ['bash', 's.sh'], runs: ['h.js'] },
  ],
  [
    'what a search runs',
    {
      files: { 's.sh': 'find hooks -name "*.sh" -exec sh {} \\;\n', 'hooks/a.sh': '' },
      words: ['bash', 's.sh'],
      runs: ['hooks/a.sh'],
    },
  ],
];

it.each(routes)('a file that a command line leads to counts as run: %s', async (_what, route) => {
  expect(await missedBy(route)).toEqual([]);
});
