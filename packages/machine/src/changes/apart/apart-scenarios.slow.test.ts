import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { becomeOrdinaryUser, type OrdinaryUser } from '../staged-run/fixtures/as-ordinary-user.js';
import { apartScenarios, type PlayedApart, playApart } from './fixtures/apart-scenarios.js';

let user: OrdinaryUser;
beforeAll(() => {
  user = becomeOrdinaryUser();
});
afterAll(() => user.leave());

const module = new URL('./fixtures/apart-scenarios.ts', import.meta.url);

describe.each([
  ['the user of the tests', playApart],
  ['an ordinary user', (scenario: unknown) => user.call<PlayedApart>(module, 'playApart', scenario)],
] as const)('apart, as %s', (who, act) => {
  it.each(
    apartScenarios.flatMap((each) => [
      each,
      { ...each, way: 'copy' as const, name: `${each.name}, on a plain copy` },
    ]),
  )('$name works, and is kept as it would have been done directly', async (scenario) => {
    const { untried, ...played } = await act(scenario as never);
    console.log(`evidence: apart, ${who}: ${scenario.name}: ${untried ?? JSON.stringify(played.leftovers)}`);
    if (untried !== undefined) return;
    expect(played).toEqual({
      printed: scenario.prints,
      unchangedUntilKept: true,
      sameAsDirect: true,
      waiting: 0,
      leftovers: { mounts: 0, folders: 0, processes: 0 },
    });
  });
});
