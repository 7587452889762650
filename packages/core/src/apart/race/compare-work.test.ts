import { symlinkSync, writeFileSync } from 'node:fs';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { compareWork } from './compare-work.js';

it('the work of two sessions differs where one has what the other has not', async () => {
  const [first, second] = [createTempWorkspace(), createTempWorkspace()];
  const put = (temp: typeof first, files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(temp.path(name), text);
  };
  put(first, { both: 'one\ntwo\n', same: 'x\n', 'first-only': 'x\n' });
  put(second, { both: 'one\nTWO\n', same: 'x\n', 'second-only': 'y\n' });
  symlinkSync('both', second.path('link'));
  const within = (temp: typeof first) => ({
    lstat: (path: string) => temp.files.lstat(temp.path(path)),
    readLink: (path: string) => temp.files.readLink(temp.path(path)),
    read: (path: string) => temp.files.read(temp.path(path)),
  });
  const { diff, notShown } = await compareWork(
    { paths: ['both', 'same', 'first-only'], files: within(first) },
    { paths: ['both', 'same', 'second-only', 'link'], files: within(second) },
    { show: (path) => path, signal: new AbortController().signal },
  );
  expect(notShown).toEqual([]);
  expect(diff.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
    'delete first-only',
    'modify both',
    'symlink link',
    'create second-only',
  ]);
  expect(diff.files[1]!.unified).toContain('-two\n+TWO');
  await first.cleanup();
  await second.cleanup();
});
