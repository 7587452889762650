import { describe, expect, it } from 'vitest';
import { createTempChanges } from '../../testing/temp-changes.js';
import type { ChangeSet } from '../change-set.js';
import { type Choice, chooseChanges, neededPaths } from './choose.js';

async function choose(wanted: Record<string, string | null>, chosen: Record<string, 'whole' | number[]>) {
  const temporary = createTempChanges();
  for (const [name, text] of Object.entries({
    'a.txt': 'one\ntwo\nthree\n',
    '.git/HEAD': 'old\n',
    '.git/index': 'old\n',
  }))
    temporary.write(name, text);
  const planned = await temporary.plan(wanted);
  const choice: Choice = new Map(Object.entries(chosen).map(([name, part]) => [temporary.path(name), part]));
  const part = chooseChanges(planned, choice, {
    id: 'part',
    show: temporary.workspace.show,
    readBefore: async ({ path }) => (await temporary.files.read(path)).bytes,
  });
  return { temporary, part };
}

it('some parts of a text file are kept and the others left', async () => {
  const { temporary, part } = await choose({ 'a.txt': 'ONE\ntwo\nTHREE\n' }, { 'a.txt': [1] });
  await temporary.changes.commit(await part, { signal: new AbortController().signal });
  expect(temporary.read('a.txt')).toBe('one\ntwo\nTHREE\n');
  await temporary.cleanup();
});

it('parts that do not exist are refused', async () => {
  const { temporary, part } = await choose({ 'a.txt': 'ONE\n' }, { 'a.txt': [7] });
  await expect(part).rejects.toThrow('a.txt has no such parts. Keep all of it or nothing.');
  await temporary.cleanup();
});

it('a file of a git repository has no parts', async () => {
  const { temporary, part } = await choose({ '.git/HEAD': 'new\n' }, { '.git/HEAD': [0] });
  await expect(part).rejects.toThrow('.git/HEAD has no such parts. Keep all of it or nothing.');
  await temporary.cleanup();
});

it('one file of a git repository brings all its others with it', async () => {
  const wanted = { '.git/HEAD': 'new\n', '.git/index': 'new\n', 'a.txt': 'new\n' };
  const { temporary, part } = await choose(wanted, { '.git/HEAD': 'whole' });
  const { changeSet, diff } = await part;
  expect(changeSet.changes.map(({ path }) => temporary.workspace.show(path)).sort()).toEqual([
    '.git/HEAD',
    '.git/index',
  ]);
  expect(diff.files.map(({ path }) => path).sort()).toEqual(['.git/HEAD', '.git/index']);
  await temporary.cleanup();
});

describe('of a folder that was removed with what was in it', () => {
  const before = { kind: 'file', hash: 'a', size: 1, mode: 0o644 } as const;
  const removal: ChangeSet = {
    v: 1,
    id: 'removal',
    changes: ['/w/d/one', '/w/d/deep/two'].map((path) => ({ path, kind: 'delete', before })),
    directories: [],
    removedDirectories: ['/w/d', '/w/d/deep'].map((path) => ({ path, mode: 0o755 })),
  };
  const kept = (...chosen: string[]) => [...neededPaths(removal, new Set(chosen))].sort();

  it('what was left out stays, and so does the folder around it', () => {
    expect(kept('/w/d')).toEqual([]);
    expect(kept('/w/d', '/w/d/one')).toEqual(['/w/d/one']);
    expect(kept('/w/d', '/w/d/one', '/w/d/deep')).toEqual(['/w/d/one']);
    expect(kept('/w/d', '/w/d/deep', '/w/d/deep/two')).toEqual(['/w/d/deep', '/w/d/deep/two']);
  });

  it('all of it goes where all of it was chosen', () => {
    const all = ['/w/d', '/w/d/deep', '/w/d/deep/two', '/w/d/one'];
    expect(kept(...all)).toEqual(all);
  });
});
