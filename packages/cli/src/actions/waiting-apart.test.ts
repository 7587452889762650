import type { SessionApart } from '@toolwright/core';
import { expect, it } from 'vitest';
import { waitingApart, waitingSentence } from './waiting-apart.js';

it.each<[{ added: number; removed: number }[], string[], string | null]>([
  [[], [], null],
  [[], ['a: gone'], "1 change that can't be kept"],
  [[], ['a: gone', 'b: gone'], "2 changes that can't be kept"],
  [[{ added: 3, removed: 1 }], [], '1 file changed (+3 -1)'],
  [[{ added: 0, removed: 0 }], ['a: gone'], "1 file changed, 1 that can't be kept"],
])('what waits of %j and the refused %j is told as %s', async (items, refused, told) => {
  const review = { items, summary: '1 file changed' };
  const apart = { id: 'one', review: async () => ({ review, refused }) } as unknown as SessionApart;
  const waiting = await waitingApart(apart);
  expect(waiting && waitingSentence(waiting)).toBe(
    told && `Waiting for review: ${told}. To keep: toolwright apart keep one`,
  );
});
