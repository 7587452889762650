import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { realFileSystem } from './file-system.js';
import { repositoryPlaces } from './plan-mounts.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'repositories-')));
const place = (name: string): string => join(base, name);
const env = {
  PATH: process.env['PATH'],
  HOME: base,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: place('repo'), env, stdio: 'pipe' });

mkdirSync(place('repo/packages/one'), { recursive: true });
git('init', '-q');
git('commit', '-q', '--allow-empty', '-m', 'one');
git('worktree', 'add', '-q', place('tree'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const places = (...roots: string[]): string[] =>
  repositoryPlaces(roots.map(place), place('home'), realFileSystem).map((path) =>
    path.slice(base.length + 1),
  );

test('a repository that begins at the root needs nothing more', () => {
  expect(places('repo')).toEqual([]);
});

test('a repository that begins above the root is seen from its top', () => {
  expect(places('repo/packages/one', 'repo/packages')).toEqual(['repo']);
});

test('a worktree sees its own data and what it shares', () => {
  expect(places('tree')).toEqual(['repo/.git/worktrees/tree', 'repo/.git']);
});

test('a file that leads to a repository that does not know of it shows nothing', () => {
  mkdirSync(place('lie'));
  writeFileSync(place('lie/.git'), `gitdir: ${place('repo/.git/worktrees/tree')}\n`);
  expect(places('lie')).toEqual([]);
  writeFileSync(place('lie/.git'), `gitdir: ${place('home')}\n`);
  expect(places('lie')).toEqual([]);
});

test('a module sees its data in the repository around it', () => {
  mkdirSync(place('repo/module/sub'), { recursive: true });
  mkdirSync(place('repo/.git/modules/module'), { recursive: true });
  writeFileSync(place('repo/module/.git'), 'gitdir: ../.git/modules/module\n');
  expect(places('repo/module')).toEqual(['repo/.git/modules/module']);
  expect(places('repo/module/sub')).toEqual(['repo/module', 'repo/.git/modules/module']);
});

test('a home that is a repository stays hidden', () => {
  mkdirSync(place('home/.git'), { recursive: true });
  mkdirSync(place('home/app'));
  expect(places('home/app')).toEqual([]);
});
