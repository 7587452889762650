import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../base/fixtures/temp-folder.js';
import { gitConfigurations } from './git-configurations.js';

let base: string;
beforeEach(() => {
  base = tempFolder();
});

const git = (...args: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'pipe' });

function repository(name: string, setting: string): string {
  const folder = join(base, name);
  git('init', '-q', folder);
  git('-C', folder, 'config', 'x.name', setting);
  git('-C', folder, 'commit', '-q', '--allow-empty', '-m', 'first');
  return folder;
}

it('the configuration of a repository is empty outside a repository', () => {
  mkdirSync(join(base, 'plain'));
  expect(gitConfigurations(join(base, 'plain'))).toEqual([]);
});

it('a repository is found from every folder below', () => {
  const folder = repository('one', 'mine');
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  expect(gitConfigurations(join(folder, 'a/b'))).toEqual([expect.stringContaining('name = mine')]);
});

it('the configuration of a repository takes in the common folder of a work tree, and what is set for it alone', () => {
  const folder = repository('one', 'shared');
  git('-C', folder, 'config', 'extensions.worktreeConfig', 'true');
  git('-C', folder, 'worktree', 'add', '-q', join(base, 'tree'));
  git('-C', join(base, 'tree'), 'config', '--worktree', 'x.only', 'here');
  const all = gitConfigurations(join(base, 'tree'))?.join('\n');
  expect(all).toContain('name = shared');
  expect(all).toContain('only = here');
});

it('the search for a git folder includes the configurations of submodules', () => {
  const [outer, inner] = [repository('outer', 'outside'), repository('inner', 'inside')];
  git('-C', outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub');
  git('-C', join(outer, 'sub'), 'config', 'x.name', 'deep');
  const all = gitConfigurations(outer)?.join('\n');
  expect(all).toContain('name = outside');
  expect(all).toContain('name = deep');
});

it('the configuration of a repository takes in a repository without a work tree', () => {
  git('init', '-q', '--bare', join(base, 'bare'));
  git('-C', join(base, 'bare'), 'config', 'x.name', 'naked');
  expect(gitConfigurations(join(base, 'bare'))?.join()).toContain('naked');
});

it.each<[string, (folder: string) => void]>([
  ['a configuration that is no file', (folder) => mkdirSync(join(folder, '.git/config'))],
  ['an endless one', (folder) => symlinkSync('/dev/zero', join(folder, '.git/config'))],
  ['a .git file without a folder', (folder) => writeFileSync(join(folder, '.git'), 'nothing')],
])('the search for a git folder is null for %s', (_, spoil) => {
  const folder = repository('one', 'x');
  rmSync(join(folder, '.git/config'));
  if (_.startsWith('a .git')) rmSync(join(folder, '.git'), { recursive: true });
  spoil(folder);
  expect(gitConfigurations(folder)).toBeNull();
});

it('the configuration of a repository takes in a repository that lies in the work tree by itself', () => {
  const outer = repository('outer', 'outside');
  for (const [name, version] of [
    ['sub', '2'],
    ['other/deep', '4'],
  ] as const) {
    repository(join('outer', name), `inside ${version}`);
    git('-C', outer, 'add', name);
    git('-C', outer, 'update-index', '--index-version', version);
    expect(gitConfigurations(outer)?.join('\n')).toContain(`name = inside ${version}`);
  }
  expect(gitConfigurations(join(outer, 'other'))?.join('\n')).toContain('name = inside 2');
});

it('the search for a git folder looks above a .git that is no repository', () => {
  const folder = repository('one', 'mine');
  mkdirSync(join(folder, 'sub/.git'), { recursive: true });
  expect(gitConfigurations(join(folder, 'sub'))?.join()).toContain('name = mine');
});

it('the search for a git folder looks where a link leads, as git does', () => {
  const inner = repository('one/deep', 'inner');
  mkdirSync(join(inner, 'sub'));
  repository('one', 'outer');
  symlinkSync(join(inner, 'sub'), join(base, 'one/link'));
  expect(gitConfigurations(join(base, 'one/link'))?.join()).toContain('name = inner');
});

it('the configuration of a repository takes the name of a repository to the letter', () => {
  repository('one', 'plain');
  repository('two', 'blank');
  mkdirSync(join(base, 'tree'));
  renameSync(join(base, 'two/.git'), join(base, 'one/.git '));
  writeFileSync(join(base, 'tree/.git'), 'gitdir: ../one/.git \n');
  expect(gitConfigurations(join(base, 'tree'))?.join()).toContain('name = blank');
});

it('the configuration of a repository is unknown where an index can not be read', () => {
  const folder = repository('one', 'mine');
  writeFileSync(join(folder, '.git/index'), Buffer.from([1, 2, 3, 4, 0, 0, 0xe0, 0, 1, 2, 3, 4, 5]));
  expect(gitConfigurations(folder)).toBeNull();
});
