import { randomTree } from '@toolwright/machine/host/ignore/fixtures/random-tree.js';
import fc from 'fast-check';
import { it } from 'vitest';
import { ownFilesAddToGit, ownFilesMeanTheSame, walksLikeGit } from './fixtures/walks-like-git.js';

it('the walk walks exactly the files git would list, on 1,500 random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: false }), walksLikeGit), { numRuns: 1500 });
});

it('the walk reads .toolwrightignore files as git reads its own, on 1,500 random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: true }), ownFilesMeanTheSame), { numRuns: 1500 });
});

it('the walk leaves out what either .gitignore or .toolwrightignore files ignore, on 1,500 random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: false }), ownFilesAddToGit), { numRuns: 1500 });
});
