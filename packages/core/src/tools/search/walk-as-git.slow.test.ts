import { randomTree } from '@toolwright/machine/host/ignore/fixtures/random-tree.js';
import fc from 'fast-check';
import { it } from 'vitest';
import { ownFilesAddToGit, ownFilesMeanTheSame, walksLikeGit } from './fixtures/walks-like-git.js';

it('the walk walks exactly the files git would list, on random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: false }), walksLikeGit), { numRuns: 25 });
});

it('the walk reads .toolwrightignore files, nested ones and negations too, as git reads its own', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: true }), ownFilesMeanTheSame), { numRuns: 25 });
});

it('the walk leaves out what either .gitignore or .toolwrightignore files ignore, on random trees', async () => {
  await fc.assert(fc.asyncProperty(randomTree({ odd: false }), ownFilesAddToGit), { numRuns: 25 });
});
