import { expect, test } from 'vitest';
import { diffFile } from './diff.js';

test('a diff counts a change of millions of lines without showing it', async () => {
  const [before, after] = ['x\n'.repeat(1_500_000), 'y\n'.repeat(1_500_000)];
  expect(await diffFile({ path: 'a', before, after })).toMatchObject({
    unified: 'Too large to show: 1,500,000 lines added, 1,500,000 lines removed.',
    added: 1_500_000,
    removed: 1_500_000,
  });
});
