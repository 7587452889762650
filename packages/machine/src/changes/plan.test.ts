import { describe, expect, it } from 'vitest';
import { planChanges } from './plan.js';

const text = (content: string, mode?: number) => ({
  bytes: Buffer.from(content),
  ...(mode === undefined ? {} : { mode }),
});
const show = (path: string) => path.replace('/w/', '');

describe('planChanges', () => {
  it('shows deletions first, whatever the order given', async () => {
    const { diff, changeSet } = await planChanges({
      id: 'set',
      show,
      files: [
        { path: '/w/new', before: null, after: text('n\n') },
        { path: '/w/changed', before: text('old\nsame\n', 0o644), after: text('new\nsame\n') },
        { path: '/w/gone', before: text('g\n', 0o644), after: null },
        { path: '/w/link', before: { target: 'a' }, after: { target: 'b' } },
        { path: '/w/away', before: { target: 'a' }, after: null },
        { path: '/w/run', before: text('r', 0o644), after: text('r', 0o755) },
      ],
    });
    expect(diff.files).toEqual([
      {
        path: 'gone',
        change: 'delete',
        added: 0,
        removed: 1,
        unified: '--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n',
      },
      { path: 'away', change: 'delete', added: 0, removed: 0, unified: 'Removes a link to "a".' },
      {
        path: 'new',
        change: 'create',
        added: 1,
        removed: 0,
        unified: '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n',
      },
      {
        path: 'changed',
        change: 'modify',
        added: 1,
        removed: 1,
        unified: '--- a/changed\n+++ b/changed\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n',
      },
      {
        path: 'link',
        change: 'symlink',
        added: 0,
        removed: 0,
        unified: 'Becomes a link to "b"; it was a link to "a".',
      },
      { path: 'run', change: 'mode', added: 0, removed: 0, unified: 'Mode 0644 becomes 0755.' },
    ]);
    expect(changeSet.changes.map(({ kind }) => kind)).toEqual([
      'delete',
      'delete',
      'create',
      'modify',
      'symlink',
      'mode',
    ]);
  });

  it('names a change of the mode beside one of the content, and a link that gives way to a file', async () => {
    const { diff } = await planChanges({
      id: 'set',
      show,
      files: [
        { path: '/w/a', before: text('1\n', 0o644), after: text('2\n', 0o755) },
        { path: '/w/b', before: { target: 'x' }, after: text('2\n') },
        { path: '/w/c', before: text('2\n'), after: { target: 'x' } },
      ],
    });
    expect(diff.files.map(({ unified }) => unified)).toEqual([
      'Mode 0644 becomes 0755.\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n',
      'In place of a link to "x":\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+2\n',
      'Becomes a link to "x"; it was a file.',
    ]);
  });

  it('keeps the mode of a file that is given none', async () => {
    const { changeSet } = await planChanges({
      id: 'set',
      show,
      files: [{ path: '/w/a', before: text('1', 0o600), after: text('2') }],
    });
    expect(changeSet.changes[0]).toMatchObject({ before: { mode: 0o600 }, after: { mode: 0o600, size: 1 } });
  });

  it('drops what stays as it is', async () => {
    const same = [
      { path: '/w/a', before: text('1', 0o600), after: text('1') },
      { path: '/w/b', before: { target: 'x' }, after: { target: 'x' } },
      { path: '/w/c', before: null, after: null },
    ];
    const { changeSet, diff } = await planChanges({ id: 'set', show, files: same });
    expect(changeSet.changes).toEqual([]);
    expect(diff.files).toEqual([]);
  });

  it('gives the bytes by hash', async () => {
    const { changeSet, blobs } = await planChanges({
      id: 'set',
      show,
      files: [{ path: '/w/a', before: null, after: text('content') }],
    });
    const [change] = changeSet.changes;
    const hash = change?.kind === 'create' ? change.after.hash : '';
    expect(Buffer.from(await blobs.read(hash)).toString()).toBe('content');
    await expect(blobs.read('0'.repeat(64))).rejects.toThrow('no content');
  });

  it('refuses two changes of one file', async () => {
    const twice = [text('1'), text('2')].map((after) => ({ path: '/w/a', before: null, after }));
    await expect(planChanges({ id: 'set', show, files: twice })).rejects.toThrow('two changes of /w/a');
  });
});
