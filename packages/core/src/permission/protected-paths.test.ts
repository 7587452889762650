import { expect, it } from 'vitest';
import { isOrdinaryForCommand, protectedReason, runsLater } from './protected-paths.js';

it.each([
  '.git',
  '.git/hooks/pre-commit',
  '.git/config',
  '.git/objects/ab/cd',
  'sub/module/.git',
  'deep/er/.git/config.worktree',
  '.GIT/hooks/x',
  '.Git/config',
  '.git./config',
  '.git /config',
  '.g\u200cit/config',
  '.ｇｉｔ/config',
  '.gitmodules',
  'sub/.gitattributes',
  '.mcp.json',
  '.MCP.json',
  '.toolwright/settings.json',
  '.toolwright/tools/a.ts',
  '.vscode/tasks.json',
  '.idea/workspace.xml',
  '.github/workflows/ci.yml',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
  '.husky/pre-commit',
  '.envrc',
  'packages/a/.npmrc',
  '.bashrc',
  '.zshenv',
  '.profile',
  'GIT~1/config',
  '.hg/hgrc',
  '.ssh/authorized_keys',
  '.claude/settings.json',
  '.gitea/workflows/ci.yml',
  '.Forgejo/workflows/ci.yml',
  'bitbucket-pipelines.yml',
  '.drone.yml',
  'lefthook.yml',
  '.config/fish/config.fish',
  '.xprofile',
  '.gdbinit',
])('%s is protected', (path) => {
  expect(protectedReason(path)).toEqual(expect.any(String));
});

it.each([
  'src/git/config',
  '.gitignore',
  'git',
  'a.git/config',
  'docs/.github.md',
  '.env',
  'settings.json',
  'profile',
  'x.bashrc.md',
  '...',
])('%s is not protected', (path) => {
  expect(protectedReason(path)).toBeNull();
});

it('knows the files that something runs later', () => {
  expect(['package.json', 'a/Makefile', 'b/GNUmakefile', 'Dockerfile', 'rules.mk'].every(runsLater)).toBe(
    true,
  );
  expect(['package-lock.json', 'make.ts', 'readme.md'].some(runsLater)).toBe(false);
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
