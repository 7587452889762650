import fc from 'fast-check';
import { it } from 'vitest';
import { randomTree } from '../../host/fixtures/random-tree.js';
import { ownFilesMeanTheSame, walksLikeGit } from './fixtures/walks-like-git.js';

it('walks exactly the files git would list, on thousands of random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: false }), walksLikeGit), { numRuns: 3000 });
});

it('reads .toolwrightignore files as git reads its own, on thousands of random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: true }), ownFilesMeanTheSame), { numRuns: 3000 });
});
