import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTempWorkspace, type TempWorkspace } from '../../testing/temp-workspace.js';
import { createWorkspace } from '../workspace.js';
import { createIgnore } from './ignore.js';

let temp: TempWorkspace;
beforeEach(() => {
  temp = createTempWorkspace();
});
afterEach(() => temp.cleanup());

/** Gives the ignored ones of the paths; a final slash means a folder. */
function ignored(paths: string[], fileNames?: string[], below?: string): string[] {
  const view = createIgnore({ workspace: temp.workspace, fileNames }).view();
  return paths.filter((path) =>
    view.isIgnored(
      temp.path(path.replace(/\/$/, '')),
      path.endsWith('/') ? 'directory' : 'file',
      below === undefined ? undefined : temp.path(below),
    ),
  );
}

it('the view of ignored files reads .gitignore files, repository or not, the nearest one first', () => {
  temp.write('.gitignore', '*.log\n/build/\n');
  temp.write('sub/.gitignore', '!keep.log\n');
  const paths = ['a.log', 'sub/a.log', 'sub/keep.log', 'build/', 'build/x', 'sub/build/', 'src/a.ts'];
  expect(ignored(paths)).toEqual(['a.log', 'sub/a.log', 'build/', 'build/x']);
});

it('the view of ignored files takes nothing back from inside an ignored folder', () => {
  temp.write('.gitignore', 'out/\n!out/keep.txt\n');
  temp.write('out/.gitignore', '!keep.txt\n');
  expect(ignored(['out/keep.txt'])).toEqual(['out/keep.txt']);
});

it('the view of ignored files takes what is named as wanted together with the folders on the way', () => {
  temp.write('.gitignore', 'out/\n*.tmp\n');
  expect(ignored(['out/a.txt', 'out/b.tmp', 'out'], undefined, 'out')).toEqual(['out/b.tmp']);
});

it('the view of ignored files counts .git as ignored, and never the root itself', () => {
  temp.write('.gitignore', '*\n');
  expect(ignored(['.git/', '.git/config', 'sub/.git', '.'])).toEqual(['.git/', '.git/config', 'sub/.git']);
});

it("the view of ignored files reads the repository's info/exclude after every .gitignore", () => {
  temp.write('.git/info/exclude', 'secret*\n*.txt\n');
  temp.write('.gitignore', '!secret.md\n');
  expect(ignored(['secret.txt', 'secret.md', 'a/b.txt'])).toEqual(['secret.txt', 'a/b.txt']);
});

it('the view of ignored files finds info/exclude of a linked working tree', () => {
  mkdirSync(join(temp.outside, 'main/.git/worktrees/one'), { recursive: true });
  mkdirSync(join(temp.outside, 'main/.git/info'), { recursive: true });
  writeFileSync(join(temp.outside, 'main/.git/worktrees/one/commondir'), '../..\n');
  writeFileSync(join(temp.outside, 'main/.git/info/exclude'), '*.key\n');
  temp.write('.git', `gitdir: ${join(temp.outside, 'main/.git/worktrees/one')}\n`);
  expect(ignored(['a.key', 'a.txt'])).toEqual(['a.key']);
});

it('the view of ignored files stops at a nested repository, but not above it', () => {
  temp.write('.gitignore', '*.log\nvendor/\n');
  temp.write('inner/.git/HEAD', 'ref: refs/heads/main\n');
  temp.write('vendor/tool/.git/HEAD', 'ref: refs/heads/main\n');
  expect(ignored(['inner/a.log', 'a.log', 'vendor/tool/x'])).toEqual(['a.log', 'vendor/tool/x']);
});

it('the view of ignored files reads the rules of a repository that starts above the workspace', () => {
  temp.write('.git/HEAD', 'ref: refs/heads/main\n');
  temp.write('.gitignore', 'node_modules/\n/packages/one/local\n');
  temp.write('packages/one/a', '');
  const workspace = createWorkspace({ directory: temp.path('packages/one') });
  const view = createIgnore({ workspace }).view();
  const inside = (name: string) => join(workspace.directory, name);
  expect(view.isIgnored(inside('node_modules'), 'directory')).toBe(true);
  expect(view.isIgnored(inside('local'), 'file')).toBe(true);
  expect(view.isIgnored(inside('a'), 'file')).toBe(false);
});

it('the view of ignored files adds the rules of .toolwrightignore and of further files, which take nothing back from each other', () => {
  temp.write('.gitignore', '*.log\n');
  temp.write('.toolwrightignore', '!a.log\ndata/\n!c.csv\n');
  temp.write('.otherignore', '*.csv\n');
  const paths = ['a.log', 'data/', 'data/x', 'c.csv', 'a.ts'];
  expect(ignored(paths)).toEqual(['a.log', 'data/', 'data/x']);
  expect(ignored(paths, ['.otherignore'])).toEqual(['a.log', 'data/', 'data/x', 'c.csv']);
});

it('the view of ignored files does not look above the root for .toolwrightignore', () => {
  writeFileSync(join(dirname(temp.directory), '.toolwrightignore'), '*\n');
  expect(ignored(['a'])).toEqual([]);
});

it('the view of ignored files follows no link, and reads no folder, pipe or huge file as rules', () => {
  writeFileSync(join(temp.outside, 'rules'), '*\n');
  symlinkSync(join(temp.outside, 'rules'), temp.path('.gitignore'));
  mkdirSync(temp.path('.toolwrightignore'));
  temp.write('big/.gitignore', `*\n${'#'.repeat(2 * 1024 * 1024)}`);
  expect(ignored(['a', 'big/b'])).toEqual([]);
});

it('the view of ignored files sees changes only when it is made anew', () => {
  const ignore = createIgnore({ workspace: temp.workspace });
  const before = ignore.view();
  expect(before.isIgnored(temp.path('a.log'), 'file')).toBe(false);
  temp.write('.gitignore', '*.log\n');
  expect(before.isIgnored(temp.path('a.log'), 'file')).toBe(false);
  expect(ignore.view().isIgnored(temp.path('a.log'), 'file')).toBe(true);
});
