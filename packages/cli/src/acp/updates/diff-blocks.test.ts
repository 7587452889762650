import { describe, expect, it } from 'vitest';
import { diffBlocks } from './diff-blocks.js';
import { drawDiff } from './tool-call.js';

const file = (unified: string, change: 'modify' | 'create' | 'delete' = 'modify') => ({
  path: 'a.txt',
  change,
  unified,
  added: 0,
  removed: 0,
});

describe('a diff for an editor', () => {
  it('has one block for each place, with the lines around it, from a line that counts from 1', () => {
    const unified = [
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-two',
      '+2',
      ' three',
      '@@ -10 +10,2 @@',
      ' ten',
      '+--- not a header',
      '\\ No newline at end of file',
      '',
    ].join('\n');
    expect(diffBlocks(file(unified), '/w/a.txt')).toEqual([
      {
        line: 1,
        diff: { type: 'diff', path: '/w/a.txt', oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' },
      },
      {
        line: 10,
        diff: { type: 'diff', path: '/w/a.txt', oldText: 'ten\n', newText: 'ten\n--- not a header\n' },
      },
    ]);
  });

  it('of a new file has no old text, of a deleted one no new text', () => {
    const created = diffBlocks(
      file('--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n', 'create'),
      '/w/a.txt',
    );
    expect(created).toEqual([
      { line: 1, diff: { type: 'diff', path: '/w/a.txt', oldText: null, newText: 'one\n' } },
    ]);
    const deleted = diffBlocks(
      file('--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n', 'delete'),
      '/w/a.txt',
    );
    expect(deleted).toMatchObject([{ line: 1, diff: { oldText: 'one\n', newText: '' } }]);
  });

  it('that can not be told line by line is told in words', () => {
    const note = 'Too large to show: 9 lines added, 1 line removed.';
    const drawn = drawDiff({ kind: 'diff', files: [file(note)] }, (path) => `/w/${path}`);
    expect(drawn).toEqual({
      content: [{ type: 'content', content: { type: 'text', text: `modify \`a.txt\`: ${note}` } }],
      locations: [{ path: '/w/a.txt', line: 1 }],
    });
  });
});
