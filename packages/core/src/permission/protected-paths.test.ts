import { expect, it } from 'vitest';
import { protectedReason, runsLater } from './protected-paths.js';

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
