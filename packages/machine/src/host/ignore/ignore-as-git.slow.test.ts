import fc from 'fast-check';
import { it } from 'vitest';
import { agreesWithGit } from './fixtures/agrees-with-git.js';
import { randomTree } from './fixtures/random-tree.js';

it('ignores exactly what git ignores, on random trees with every kind of rule', () => {
  fc.assert(fc.property(randomTree({ odd: true }), agreesWithGit), { numRuns: 60 });
});
