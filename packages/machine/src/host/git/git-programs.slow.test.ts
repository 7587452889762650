import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { gitPrograms, rememberGitPrograms } from './git-programs.js';

let base: string;
let tree: string;
let home: string;

beforeEach(() => {
  base = tempFolder();
  [tree, home] = [join(base, 'work'), join(base, 'home')];
  for (const folder of [tree, home]) mkdirSync(folder);
  git('init', '-q', tree);
});

function git(...args: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', args, { cwd: base, env, stdio: 'pipe' });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

const found = (root = tree, environment = {}): string[] =>
  gitPrograms([root], { roots: [root], environment: { HOME: home, ...environment } })
    .map(({ path }) => relative(base, path))
    .toSorted();

it('the search for programs that git runs knows no place where nothing is configured', () => {
  expect(found()).toEqual([]);
});

it.each([
  ['.githooks', ['work/.githooks']],
  ['tools/hooks/', ['work/tools/hooks']],
  ['~/hooks', ['home/hooks']],
  ['../elsewhere', ['elsewhere']],
  ['/dev/null', []],
])('core.hooksPath %j of a repository is a place of programs', (value, places) => {
  git('-C', tree, 'config', 'core.hooksPath', value);
  expect(found()).toEqual(places);
  mkdirSync(join(tree, 'sub'));
  expect(found(join(tree, 'sub'))).toEqual(places);
});

it('a workspace that is the folder of hooks itself has its names protected, not all of it', () => {
  git('-C', tree, 'config', 'core.hooksPath', '.');
  const places = found();
  expect(places).toContain('work/pre-commit');
  expect(places).not.toContain('work');
});

it('the search for programs that git runs finds it in the configuration of the user, of a worktree, and in files that are taken in', () => {
  put('home/.gitconfig', '[core]\nhooksPath = .by-person\n');
  expect(found()).toEqual(['work/.by-person']);
  put('home/.config/git/config', '[core]\nhooksPath = .by-xdg\n');
  expect(found()).toEqual(['work/.by-person', 'work/.by-xdg']);
  put('other', '[core]\nhooksPath = .by-variable\n');
  expect(found(tree, { GIT_CONFIG_GLOBAL: join(base, 'other') })).toContain('work/.by-variable');
  put('work/team.gitconfig', '[core]\nhooksPath = .shared\n');
  git('-C', tree, 'config', 'include.path', '../team.gitconfig');
  put('work/more.gitconfig', '[core]\nhooksPath = .more\n');
  git('-C', tree, 'config', 'includeIf.onbranch:x.path', join(tree, 'more.gitconfig'));
  expect(found()).toEqual(
    expect.arrayContaining(['work/.shared', 'work/.more', 'work/team.gitconfig', 'work/more.gitconfig']),
  );
});

it('the search for programs that git runs finds it from a linked worktree, relative to that', () => {
  git('-C', tree, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
  git('-C', tree, 'worktree', 'add', '-q', join(base, 'second'));
  git('-C', tree, 'config', 'core.hooksPath', '.githooks');
  git('-C', tree, 'config', 'extensions.worktreeConfig', 'true');
  git('-C', join(base, 'second'), 'config', '--worktree', 'core.hooksPath', '.own');
  expect(found(join(base, 'second'))).toEqual(['second/.githooks', 'second/.own']);
});

it('the search for programs that git runs follows a link to where the hooks really are', () => {
  mkdirSync(join(tree, 'real'));
  symlinkSync('real', join(tree, '.githooks'));
  git('-C', tree, 'config', 'core.hooksPath', '.githooks');
  expect(found()).toEqual(['work/real']);
});

it('the search for programs that git runs names files in the workspace that the configuration runs, and no others', () => {
  put('work/tools/watch', '');
  put('work/tools/conv.sh', '');
  put('work/main', '');
  git('-C', tree, 'config', 'core.fsmonitor', 'tools/watch');
  git('-C', tree, 'config', 'diff.x.textconv', 'sh tools/conv.sh --plain');
  git('-C', tree, 'config', 'alias.y', '!./tools/missing.sh');
  git('-C', tree, 'config', 'branch.main.merge', 'main');
  expect(found()).toEqual(['work/tools/conv.sh', 'work/tools/watch']);
});

it('the search for programs that git runs looks into the repository around a path, wherever in the workspace that begins', () => {
  git('init', '-q', join(tree, 'nested'));
  git('-C', join(tree, 'nested'), 'config', 'core.hooksPath', '.githooks');
  const find = rememberGitPrograms({
    workspace: { roots: [{ path: tree, access: 'write' }] },
    environment: { HOME: home },
  });
  const places = (path?: string): string[] => find(path).map((each) => relative(base, each.path));
  expect(places()).toEqual([]);
  expect(places(join(tree, 'a'))).toEqual([]);
  expect(places(join(tree, 'nested/.githooks/new/pre-commit'))).toEqual(['work/nested/.githooks']);
});
