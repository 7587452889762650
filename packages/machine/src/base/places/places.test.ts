import { expect, it } from 'vitest';
import { fold, namesIn, runLaterAt, runLaterByName, runsWhenAsked, secretAt } from './places.js';
import { runLaterFiles, runLaterFolders, runLaterInHome, runLaterOfSystem } from './run-later-places.js';
import { secretsInHome, secretsOfSystem } from './secret-places.js';

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
  '.toolwrightignore',
  'sub/.ToolwrightIgnore',
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
  '.agents/skills/x/SKILL.md',
  '.gitea/workflows/ci.yml',
  '.Forgejo/workflows/ci.yml',
  'bitbucket-pipelines.yml',
  '.drone.yml',
  'lefthook.yml',
  '.config/fish/config.fish',
  '.xprofile',
  '.gdbinit',
  '.devcontainer.json',
  'sub/.devcontainer.json',
  '.roo/mcp.json',
  '.opencode/agent/x.md',
  'opencode.json',
  '.kiro/hooks/x',
  '.amazonq/mcp.json',
  '.rvmrc',
  'app.code-workspace',
  'sub/App.CODE-workspace',
  '.nvim.lua',
  '.vimrc',
  '.Rprofile',
])('%s is run later, wherever it lies', (path) => {
  expect(runLaterByName(path)).toEqual(expect.any(String));
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
  'code-workspace',
  'code-workspace.md',
  '...',
])('%s is not', (path) => {
  expect(runLaterByName(path)).toBeNull();
});

it.each<[string, string | null]>([
  ['/home/ann/.aws', '/home/ann/.aws'],
  ['/home/ann/.aws/sso/cache/x', '/home/ann/.aws'],
  ['/home/ann/.AWS/credentials', '/home/ann/.AWS'],
  ['/home/ann/.config/gh/hosts.yml', '/home/ann/.config/gh'],
  ['/home/ann/.config', null],
  ['/home/ann', null],
  ['/home/ann/.awsome', null],
  ['/home/ann/app/.aws/x', null],
  ['/home/bob/.ssh/id', '/home/bob/.ssh'],
  ['/root/.ssh/id', '/root/.ssh'],
  ['/Users/eve/.netrc', '/Users/eve/.netrc'],
  ['/rooted/.ssh/id', null],
  ['/etc/shadow', '/etc/shadow'],
  ['/etc/ssh/ssh_host_ed25519_key', '/etc/ssh/ssh_host_ed25519_key'],
  ['/etc/ssh/ssh_host_ed25519_key.pub', null],
  ['/etc/passwd', null],
])('%s lies in the secret place %j', (path, place) => {
  expect(secretAt(path, '/home/ann')?.place ?? null).toBe(place);
});

it('the list of places counts every listed place and what lies in it, once, with a reason', () => {
  const lists = { secretsInHome, runLaterInHome, secretsOfSystem, runLaterOfSystem };
  for (const [name, list] of Object.entries(lists)) {
    const find = name.startsWith('secrets') ? secretAt : runLaterAt;
    const places = namesIn(list);
    expect(new Set(places.map(fold)).size).toBe(places.length);
    for (const place of places) {
      const path = place.startsWith('/') ? place : `/srv/ann/${place}`;
      expect([path, find(path, '/srv/ann')?.place]).toEqual([path, path]);
      expect(find(`${path}/below`, '/srv/ann')?.why).toEqual(expect.any(String));
    }
  }
  const names = [...namesIn(runLaterFolders), ...namesIn(runLaterFiles)];
  expect(new Set(names.map(fold)).size).toBe(names.length);
});

it('the list of places knows the files that something runs later on request', () => {
  const files = ['package.json', 'a/Makefile', 'b/GNUmakefile', 'Dockerfile', 'rules.mk'];
  expect(files.every(runsWhenAsked)).toBe(true);
  expect(['package-lock.json', 'make.ts', 'readme.md'].some(runsWhenAsked)).toBe(false);
});
