import { expect, it } from 'vitest';
import { killRepeatedly, nothingLost } from './kill-session/kill.js';

it('a session killed at random moments goes on with all that was answered', async () => {
  const tally = await killRepeatedly(260);
  expect(tally).toMatchObject({ kills: 260, ...nothingLost });
  expect(tally.kills - tally.nothingToResume).toBeGreaterThanOrEqual(200);
  expect(Object.keys(tally.phases).length).toBeGreaterThan(5);
});
