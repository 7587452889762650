import { execFileSync } from 'node:child_process';
import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { patchAsDiff } from './patch-as-diff.js';

it('tells every kind of change of a patch that git wrote, odd names included', async () => {
  const temp = createTempWorkspace();
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
      cwd: temp.directory,
      encoding: 'utf8',
    });
  try {
    git('init', '-q');
    temp.write('changed.txt', 'one\ntwo\n--- three\n');
    temp.write('gone.txt', 'gone\n');
    temp.write('run.sh', 'echo\n');
    temp.write('with blank.txt', 'a\n');
    temp.write('moved.txt', 'the same line\n'.repeat(9));
    git('add', '-A');
    git('commit', '-qm', 'begin');
    temp.write('changed.txt', 'one\nTWO\n+++ three\n');
    temp.write('grüße\t"1".txt', 'new\n');
    temp.write('empty.txt', '');
    temp.write('picture.bin', '\0\u0001\u0002');
    temp.write('with blank.txt', 'b\n');
    execFileSync(
      'sh',
      ['-c', 'rm gone.txt; chmod +x run.sh; ln -s changed.txt link; mv moved.txt there.txt'],
      {
        cwd: temp.directory,
      },
    );
    git('add', '-A');
    const { files } = patchAsDiff(git('diff', '--cached', '--binary', '-M'));
    expect(files.map(({ path, change, added, removed }) => [path, change, added, removed])).toEqual([
      ['changed.txt', 'modify', 2, 2],
      ['empty.txt', 'create', 0, 0],
      ['gone.txt', 'delete', 0, 1],
      ['grüße\t"1".txt', 'create', 1, 0],
      ['link', 'symlink', 1, 0],
      ['picture.bin', 'create', 0, 0],
      ['run.sh', 'mode', 0, 0],
      ['there.txt', 'modify', 0, 0],
      ['with blank.txt', 'modify', 1, 1],
    ]);
    expect(files[0]?.unified).toBe(
      '--- changed.txt\n+++ changed.txt\n@@ -1,3 +1,3 @@\n one\n-two\n---- three\n+TWO\n++++ three\n',
    );
    expect(files.filter(({ unified }) => !unified.includes('@@')).map(({ unified }) => unified)).toEqual([
      'empty',
      'binary',
      'mode 100644 -> 100755',
      'renamed from moved.txt',
    ]);
  } finally {
    await temp.cleanup();
  }
});

it('a text that is no patch gives no diff', () => {
  expect(patchAsDiff('')).toEqual({ kind: 'diff', files: [] });
  expect(patchAsDiff('some words\n')).toEqual({ kind: 'diff', files: [] });
});
