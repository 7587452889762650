import { join } from 'node:path';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { extensionNotes } from './extension-notes.js';

it('notes of extensions stay short however many there are; each folder is opened for reading', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `e${index}`);
  const temp = createTempWorkspace({
    content: Object.fromEntries(names.map((name) => [`${name}/N.md`, `Of ${name}. ${'x'.repeat(100)}`])),
  });
  const opened: string[] = [];
  const files = names.map((name) => {
    const root = join(temp.directory, name);
    return { name, root, path: join(root, 'N.md') };
  });
  const text = await extensionNotes(files, (root) => {
    opened.push(root);
    return root;
  });
  expect(text).toContain('Of e0.');
  expect(text).toMatch(/e4\/N\.md \(extension e4\), and 15 more$/);
  expect(text.length).toBeLessThan(1_100);
  expect(opened).toHaveLength(20);
  await temp.cleanup();
});
