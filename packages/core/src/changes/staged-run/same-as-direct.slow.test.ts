import { afterAll, beforeAll, expect, it } from 'vitest';
import { becomeOrdinaryUser, type OrdinaryUser } from './fixtures/as-ordinary-user.js';
import { sameAsDirect, type Tally } from './fixtures/same-as-direct.js';

let user: OrdinaryUser;
beforeAll(() => {
  user = becomeOrdinaryUser();
});
afterAll(() => user.leave());

const module = new URL('./fixtures/same-as-direct.ts', import.meta.url);
const amounts = { seed: 20_261_116, runs: 8 };

it.each([
  ['the user of the tests', () => sameAsDirect(amounts)],
  ['an ordinary user', () => user.call<Tally>(module, 'sameAsDirect', amounts)],
] as const)('random operations of %s leave the same directly and apart, and are undone', async (who, act) => {
  const tally = await act();
  console.log(
    tally.untried ??
      `evidence: staged and kept equals a direct run, ${who}: seed ${tally.seed}, ${tally.runs} runs, ${tally.operations} operations, ${tally.changes} changes; leftovers ${JSON.stringify(tally.leftovers)}`,
  );
  expect(tally.failure).toBeNull();
});
