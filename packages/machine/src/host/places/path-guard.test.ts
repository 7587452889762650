import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { guardPaths, isOrdinaryForCommand } from './path-guard.js';

/** A workspace at `root`, and perhaps other roots, for a user whose home is /home/ann. */
function guard(root: string, ...others: string[]) {
  const roots = [root, ...others].map((path) => ({ path, access: 'write' as const }));
  const rootOf = (path: string) =>
    roots
      .filter((each) => path === each.path || path.startsWith(`${each.path === '/' ? '' : each.path}/`))
      .toSorted((left, right) => right.path.length - left.path.length)[0];
  return guardPaths({
    workspace: { directory: root, rootOf },
    home: '/home/ann',
    own: ['/home/ann/.toolwright'],
  });
}

it.each<[string, string, string, string | null, string | null]>([
  [
    'home',
    '/home/ann',
    '/home/ann/.ssh/id_ed25519',
    'it decides who may log in, and what ssh runs',
    'keys of ssh',
  ],
  [
    'home',
    '/home/ann',
    '/home/ann/.aws/credentials',
    'it holds keys and passwords of cloud services',
    'keys and passwords of cloud services',
  ],
  ['home', '/home/ann', '/home/ann/.config/git/config', 'git runs programs named in it', null],
  ['home', '/home/ann', '/home/ann/.config/autostart/x.desktop', 'it runs when somebody logs in', null],
  ['home', '/home/ann', '/home/ann/.config/systemd/user/x.service', 'it runs when somebody logs in', null],
  ['home', '/home/ann', '/home/ann/.config/fish/conf.d/x.fish', 'the shell runs what is in it', null],
  ['home', '/home/ann', '/home/ann/.local/bin/ls', 'programs that you start lie in it', null],
  ['home', '/home/ann', '/home/ann/.vimrc', 'editors run it when they start here', null],
  [
    'home',
    '/home/ann',
    '/home/ann/.toolwright/settings.json',
    'it holds settings or sessions of Toolwright',
    'settings or sessions of Toolwright',
  ],
  ['home', '/home/ann', '/home/ann/.config/qtile/config.py', 'programs take their orders from it', null],
  ['home', '/home/ann', '/home/ann/.xonshrc', 'the shell runs what is in it', null],
  ['home', '/home/ann', '/home/ann/node_modules/x/index.js', 'programs that you start lie in it', null],
  ['home', '/home/ann', '/home/ann/.local/share/notes/a.md', null, null],
  [
    'home',
    '/home/ann',
    '/home/ann/.msmtprc',
    'it holds what browsers and mail programs remember',
    'what browsers and mail programs remember',
  ],
  ['settings', '/home/ann/.config', '/home/ann/.config/git/config', 'git runs programs named in it', null],
  ['settings', '/home/ann/.config', '/home/ann/.config/notes/a.md', null, null],
  ['settings', '/home/ann/.config/notes', '/home/ann/.config/notes/a.md', null, null],
  ['home', '/home/ann', '/home/ann/app/src/a.ts', null, null],
  ['all homes', '/home', '/home/bob/.ssh/id', 'it decides who may log in, and what ssh runs', 'keys of ssh'],
  ['all homes', '/home', '/home/bob/.local/bin/ls', 'programs that you start lie in it', null],
  ['everything', '/', '/etc/shadow', 'it holds passwords of the machine', 'passwords of the machine'],
  ['everything', '/', '/etc/ssh/ssh_host_rsa_key', 'it holds keys of the machine', 'keys of the machine'],
  ['everything', '/', '/etc/profile', 'the machine runs what is in it', null],
  ['everything', '/', '/root/.netrc', 'it holds passwords', 'passwords'],
  ['everything', '/', '/srv/a', null, null],
  ['a project in the home', '/home/ann/app', '/home/ann/app/.local/bin/x', null, null],
  ['a project in the home', '/home/ann/app', '/home/ann/app/.aws/credentials', null, null],
  [
    'a project in the home',
    '/home/ann/app',
    '/home/ann/.aws/credentials',
    'it holds keys and passwords of cloud services',
    null,
  ],
  ['a project of the machine', '/opt/app', '/opt/app/a', null, null],
  ['a listed place itself', '/home/ann/.config/nvim', '/home/ann/.config/nvim/init.lua', null, null],
  ['a place of secrets itself', '/home/ann/.aws', '/home/ann/.aws/config', null, null],
])('in %s (%s) %s is protected: %s; secret: %s', (_, root, path, why, secret) => {
  const { protectedReason, secretReason } = guard(root);
  expect([protectedReason(path), secretReason(path)]).toEqual([why, secret]);
});

it('the guard of paths tells of secrets outside the folders to work in only whom nothing confines', () => {
  const { secretReason } = guard('/home/ann/app');
  expect(secretReason('/home/ann/.ssh/id')).toBeNull();
  expect(secretReason('/home/ann/.ssh/id', 'everywhere')).toBe('keys of ssh');
});

it('the guard of paths knows a listed place of the home by where it really lies, too', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'linked-home-')));
  try {
    mkdirSync(join(home, 'dot/aws'), { recursive: true });
    writeFileSync(join(home, 'dot/vimrc'), '');
    symlinkSync('dot/aws', join(home, '.aws'));
    symlinkSync('dot/vimrc', join(home, '.vimrc'));
    const rootOf = () => ({ path: home, access: 'write' as const });
    const { secretReason, protectedReason } = guardPaths({ workspace: { directory: home, rootOf }, home });
    expect(secretReason(join(home, 'dot/aws/credentials'))).toBe('keys and passwords of cloud services');
    expect(protectedReason(join(home, 'dot/vimrc'))).toBe('editors run it when they start here');
    expect([secretReason(join(home, 'dot/other')), protectedReason(join(home, 'dot/other'))]).toEqual([
      null,
      null,
    ]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

it('the guard of paths takes what packages bring along for ordinary by its name, not by the place that it lies in', () => {
  const { protectedReason } = guard('/home/ann');
  const ranApart = { commands: [['npm', 'install']] };
  expect(protectedReason('/home/ann/app/node_modules/a/.npmrc', ranApart)).toBeNull();
  expect(protectedReason('/home/ann/.nvm/lib/node_modules/npm/index.js', ranApart)).toBe(
    'programs that you start lie in it',
  );
});

it.each<[string, (string | null)[][] | null, boolean]>([
  ['/w/.git/objects/ab/cd', [['git', 'commit', '-m', 'x']], true],
  ['/w/.git/index', [['git', 'add', '.']], true],
  ['/w/.git/HEAD', [['git', 'switch', 'main']], true],
  [
    '/w/.git/refs/heads/main',
    [
      ['git', 'fetch'],
      ['git', 'merge'],
    ],
    true,
  ],
  ['/w/.git/COMMIT_EDITMSG', [['git', 'commit']], true],
  ['/w/.git/logs/HEAD', [['git', 'commit']], true],
  ['/w/.git/hooks/pre-commit', [['git', 'commit']], false],
  ['/w/.git/config', [['git', 'branch', '-u', 'x']], false],
  ['/w/.git/info/attributes', [['git', 'commit']], false],
  [
    '/w/.git/objects/ab/cd',
    [
      ['npm', 'test'],
      ['git', 'commit'],
    ],
    true,
  ],
  [
    '/w/.git/hooks/pre-commit',
    [
      ['npm', 'test'],
      ['git', 'commit'],
    ],
    false,
  ],
  [
    '/w/.git/objects/ab/cd',
    [
      ['sh', 'x.sh'],
      ['git', 'log'],
    ],
    false,
  ],
  ['/w/.git/objects/ab/cd', [['git', '-c', 'core.hooksPath=x', 'commit']], false],
  ['/w/.git/objects/ab/cd', [[null]], false],
  ['/w/.git/objects/ab/cd', null, false],
  ['/w/.git/objects/ab/cd', [], false],
  ['/w/node_modules/a/.github/workflows/ci.yml', [['npm', 'install']], true],
  ['/w/node_modules/a/.npmrc', null, true],
  ['/w/node_modules/a/.git/hooks/post-checkout', [['npm', 'install']], false],
  ['/w/node_modules/a/.toolwright/settings.json', [['npm', 'install']], false],
  ['/w/.github/workflows/ci.yml', [['npm', 'install']], false],
])('%s changed by %j is like any other file: %s', (path, commands, ordinary) => {
  expect(isOrdinaryForCommand(path, commands)).toBe(ordinary);
});

it('a workspace that lies in node_modules itself is no package', () => {
  const root = '/w/node_modules/mine';
  const { protectedReason } = guard(root);
  const ranApart = { commands: [['npm', 'test']] };
  expect(protectedReason(`${root}/.envrc`, ranApart)).toBe('direnv runs it');
  expect(protectedReason(`${root}/node_modules/a/.envrc`, ranApart)).toBeNull();
});
