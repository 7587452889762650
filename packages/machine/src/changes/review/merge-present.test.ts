import { existsSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTempChanges } from '../../testing/temp-changes.js';
import { type Conflict, mergeWithPresent } from './merge-present.js';

const signal = new AbortController().signal;
const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 9 }, (_, index) => `${new Map(changed).get(index + 1) ?? `line ${index + 1}`}\n`).join(
    '',
  );

/** Plans a change, lets somebody else work on the files, then brings the plan up to date. */
async function merge(
  wanted: Record<string, string | null>,
  meanwhile: Record<string, string | null>,
  leftOut: readonly Conflict[] = [],
) {
  const temporary = createTempChanges();
  temporary.write('.git/HEAD', lines());
  temporary.write('.git/index', 'old\n');
  temporary.write('.git/refs/other', 'old\n');
  temporary.write('a.txt', lines());
  temporary.write('gone.txt', 'x\n');
  const planned = await temporary.plan(wanted);
  for (const [name, text] of Object.entries(meanwhile)) {
    if (text === null) rmSync(temporary.path(name));
    else temporary.write(name, text);
  }
  const base = Buffer.from(lines());
  const result = await mergeWithPresent(planned, {
    files: temporary.files,
    readBase: async () => base,
    leftOut: leftOut.map(({ path, why }) => ({ path: temporary.path(path), why })),
    signal,
  });
  await temporary.changes.commit(result.planned, { signal });
  const read = (name: string) => (existsSync(temporary.path(name)) ? temporary.read(name) : null);
  const shown = (path: string) => temporary.workspace.show(path);
  return {
    read,
    conflicts: result.conflicts.map(({ path, why }) => `${shown(path)} ${why}`),
    merged: result.merged.map(shown),
    cleanup: temporary.cleanup,
  };
}

it('changes of both sides in different lines are merged', async () => {
  const found = await merge({ 'a.txt': lines([1, 'ours']) }, { 'a.txt': lines([9, 'theirs']) });
  expect([found.read('a.txt'), found.merged, found.conflicts]).toEqual([
    lines([1, 'ours'], [9, 'theirs']),
    ['a.txt'],
    [],
  ]);
  await found.cleanup();
});

it.each([
  [
    'the same line changed by both',
    { 'a.txt': lines([1, 'ours']) },
    { 'a.txt': lines([1, 'theirs']) },
    'a.txt was changed in the same lines',
  ],
  [
    'a changed file that somebody removed',
    { 'a.txt': lines([1, 'ours']) },
    { 'a.txt': null },
    'a.txt was removed meanwhile',
  ],
  [
    'a removed file that somebody changed',
    { 'a.txt': null },
    { 'a.txt': lines([1, 'theirs']) },
    'a.txt was changed meanwhile, so it was not deleted',
  ],
  [
    'a new file that somebody made, too',
    { 'new.txt': 'ours\n' },
    { 'new.txt': 'theirs\n' },
    'new.txt was made by somebody else meanwhile',
  ],
])('%s is a conflict, and nothing of theirs is lost', async (_, wanted, meanwhile, conflict) => {
  const found = await merge({ ...wanted, 'gone.txt': null }, meanwhile);
  expect(found.conflicts).toEqual([conflict]);
  const [[name, theirs]] = Object.entries(meanwhile) as [[string, string | null]];
  expect(found.read(name)).toBe(theirs);
  // Everything else is kept all the same.
  expect(found.read('gone.txt')).toBeNull();
  await found.cleanup();
});

it('a change that somebody else has made already is left alone', async () => {
  const found = await merge({ 'a.txt': lines([1, 'same']) }, { 'a.txt': lines([1, 'same']) });
  expect([found.conflicts, found.merged]).toEqual([[], []]);
  await found.cleanup();
});

const commit = {
  '.git/HEAD': lines([1, 'ours']),
  '.git/index': 'ours\n',
  '.git/objects/1': 'ours\n',
  'a.txt': lines([1, 'ours']),
};

it('a repository that nobody else changed is kept whole', async () => {
  const found = await merge(commit, { '.git/refs/other': 'theirs\n' });
  expect(found.conflicts).toEqual([]);
  expect([found.read('.git/HEAD'), found.read('.git/index'), found.read('.git/objects/1')]).toEqual([
    lines([1, 'ours']),
    'ours\n',
    'ours\n',
  ]);
  await found.cleanup();
});

it.each([
  ['lines that could be merged', { '.git/HEAD': lines([9, 'theirs']) }, 'HEAD: was changed meanwhile'],
  ['a file that was removed', { '.git/index': null }, 'index: was removed meanwhile'],
  [
    'a file that both made',
    { '.git/objects/1': 'theirs\n' },
    'objects/1: was made by somebody else meanwhile',
  ],
])('a repository that somebody else changed is left out whole: %s', async (_, meanwhile, why) => {
  const found = await merge(commit, meanwhile);
  expect(found.conflicts).toEqual([
    `.git can only be kept as a whole, and not all of it can be kept (${why})`,
  ]);
  const before = { '.git/HEAD': lines(), '.git/index': 'old\n', '.git/objects/1': null };
  for (const [name, text] of Object.entries({ ...before, ...meanwhile })) expect(found.read(name)).toBe(text);
  expect(found.read('a.txt')).toBe(lines([1, 'ours']));
  await found.cleanup();
});

it('what a rule leaves out of a repository leaves out all of it, and other repositories are kept', async () => {
  const wanted = { ...commit, 'inner/.git/HEAD': 'ours\n' };
  const denied = [
    { path: '.git/hooks/post-commit', why: 'a rule denies it' },
    { path: 'elsewhere/.git/HEAD', why: 'a rule denies it' },
  ];
  const found = await merge(wanted, {}, denied);
  expect(found.conflicts).toEqual([
    '.git can only be kept as a whole, and not all of it can be kept (hooks/post-commit: a rule denies it)',
  ]);
  expect([found.read('.git/index'), found.read('inner/.git/HEAD')]).toEqual(['old\n', 'ours\n']);
  await found.cleanup();
});
