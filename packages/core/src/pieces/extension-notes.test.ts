import { appendFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { acceptNotes, extensionNotes } from './extension-notes.js';

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
  const { text, left, roots } = await extensionNotes(files, { room: 800, bytesOf });
  expect(text).toMatch(/Of e0\..*Of e1\..*Of e2\./s);
  expect(text).toMatch(/16 more extensions with notes: find them with a query of the tool skill\.$/);
  expect(left.map(({ extension }) => extension)).toEqual(names.slice(4));
  expect(bytesOf(text)).toBeLessThanOrEqual(800);
  expect(roots).toHaveLength(20);
  await temp.cleanup();
});

it('notes of extensions that are not what was accepted are left out, and their extension is named; another date is no change', async () => {
  const content = { 'a/N.md': 'Mine.', 'b/N.md': 'Mine.', 'c/N.md': 'Mine.' };
  const temp = createTempWorkspace({ content });
  const files = ['a', 'b', 'c'].map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  const accepted = await Promise.all(
    files.map(async (file) => ({ ...file, accepted: await acceptNotes(file.path, 'Mine.') })),
  );
  appendFileSync(files[1]!.path, ' And more.');
  utimesSync(files[2]!.path, 1, 1);
  const found = await extensionNotes(accepted, { room: 800, bytesOf: (each) => Buffer.byteLength(each) });
  expect(found.text).toContain('<context_file extension="a">\nMine.\n</context_file>');
  expect(found.text).toContain('<context_file extension="c">');
  expect(found.text).not.toContain('And more');
  expect(found).toMatchObject({ left: [], changed: ['b'] });
  await temp.cleanup();
});

it('notes of extensions that are long are named by their paths, two at most', async () => {
  const temp = createTempWorkspace({ content: { 'a/N.md': 'x'.repeat(5_000), 'b/N.md': 'x'.repeat(5_000) } });
  const files = ['a', 'b'].map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  const share = { room: 3_000, bytesOf: (each: string) => Buffer.byteLength(each) };
  expect(await extensionNotes(files, share)).toMatchObject({
    text: `Longer notes of extensions; read one before you use what it is about: ${files[0]!.path} (extension a), ${files[1]!.path} (extension b)`,
    left: [],
  });
  await temp.cleanup();
});
