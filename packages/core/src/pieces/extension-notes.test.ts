import { appendFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTree } from '@toolwright/machine/host/trees/read-tree.js';
import { digestOfTree } from '@toolwright/machine/host/trees/tree-digest.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { openDigests } from './extension-digests.js';
import { acceptNotes, extensionNotes } from './extension-notes.js';

/** Projects have no digests. */
const requireAccepted = async (): Promise<void> => undefined;

it('notes of extensions stay short however many there are; those that are left out are for a search', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `e${index}`);
  const temp = createTempWorkspace({
    content: Object.fromEntries(names.map((name) => [`${name}/N.md`, `Of ${name}. ${'x'.repeat(100)}`])),
  });
  const files = names.map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  const bytesOf = (each: string): number => Buffer.byteLength(each);
  const { text, left, roots, given } = await extensionNotes(files, { room: 800, bytesOf, requireAccepted });
  expect(text).toMatch(/Of e0\..*Of e1\..*Of e2\./s);
  expect(text).toMatch(/16 more extensions with notes: find them with a query of the tool skill\.$/);
  expect(left.map(({ extension }) => extension)).toEqual(names.slice(4));
  expect(bytesOf(text)).toBeLessThanOrEqual(800);
  expect(roots).toHaveLength(20);
  expect(given.map((note) => note.given)).toEqual([
    ...['whole', 'whole', 'whole', 'whole'],
    ...Array.from({ length: 16 }, () => 'found'),
  ]);
  expect(given[0]).toMatchObject({ extension: 'e0', bytes: 107 });
  await temp.cleanup();
});

/** Waits until the clock of the file system has moved: a change within one of its ticks shows in no time of a file. */
async function nextTick(folder: string): Promise<void> {
  const probe = join(folder, 'probe');
  const changed = (): number => {
    writeFileSync(probe, 'x');
    return statSync(probe).ctimeMs;
  };
  const first = changed();
  while (Math.floor(changed()) === Math.floor(first)) await new Promise((resolve) => setTimeout(resolve, 1));
}

it('notes of extensions that are not what was accepted are left out, and their extension is named; another date is no change', async () => {
  const content = { 'a/N.md': 'Mine.', 'b/N.md': 'Mine.', 'c/N.md': 'Mine.', 'd/N.md': 'Mine.' };
  const temp = createTempWorkspace({ content });
  const files = ['a', 'b', 'c', 'd'].map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  for (const { path } of files) utimesSync(path, 2, 2);
  const accepted = await Promise.all(
    files.map(async (file) => ({ ...file, accepted: await acceptNotes(file.path, 'Mine.') })),
  );
  await nextTick(temp.directory);
  appendFileSync(files[1]!.path, ' And more.');
  utimesSync(files[2]!.path, 1, 1);
  writeFileSync(files[3]!.path, 'Evil!');
  utimesSync(files[3]!.path, 2, 2);
  const found = await extensionNotes(accepted, {
    room: 800,
    bytesOf: (each) => Buffer.byteLength(each),
    requireAccepted,
  });
  expect(found.text).toContain('<context_file extension="a">\nMine.\n</context_file>');
  expect(found.text).toContain('<context_file extension="c">');
  expect(found.text).not.toContain('And more');
  expect(found).toMatchObject({ left: [], changed: ['b', 'd'] });
  expect(found.text).not.toContain('Evil');
  await temp.cleanup();
});

it('notes of an extension that was accepted before notes had digests are those of its whole folder, or left out', async () => {
  const temp = createTempWorkspace({
    content: { 'a/N.md': 'Mine.', 'b/N.md': 'Mine.', 'p/N.md': 'Theirs.' },
  });
  const files = ['a', 'b', 'p'].map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  const { signal } = new AbortController();
  const digests: Record<string, string> = {};
  for (const { root } of files.slice(0, 2))
    digests[root] = digestOfTree((await readTree(root, signal)).files);
  writeFileSync(files[1]!.path, 'Evil!');
  const { requireAccepted } = openDigests(digests);
  const found = await extensionNotes(files, {
    room: 800,
    bytesOf: (each) => Buffer.byteLength(each),
    requireAccepted: (path) => requireAccepted(path, signal),
  });
  expect(found.text).toMatch(/Mine\..*Theirs\./s);
  expect(found).toMatchObject({ changed: ['b'] });
  await temp.cleanup();
});

it('notes of extensions that are long are named by their paths, two at most', async () => {
  const temp = createTempWorkspace({ content: { 'a/N.md': 'x'.repeat(5_000), 'b/N.md': 'x'.repeat(5_000) } });
  const files = ['a', 'b'].map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  const share = { room: 3_000, bytesOf: (each: string) => Buffer.byteLength(each), requireAccepted };
  expect(await extensionNotes(files, share)).toMatchObject({
    text: `Longer notes of extensions; read one before you use what it is about: ${files[0]!.path} (extension a), ${files[1]!.path} (extension b)`,
    left: [],
  });
  await temp.cleanup();
});
