import { expect, it } from 'vitest';
import { killRepeatedly } from './kill-session/kill.js';

it('a session killed at random moments goes on with all that was answered', async () => {
  const tally = await killRepeatedly(260);
  expect(tally).toMatchObject({
    kills: 260,
    answeredTurnsLost: 0,
    sessionsThatDidNotResume: 0,
    callsWithoutResponse: 0,
    answeredChangesLost: 0,
    filesTorn: 0,
    temporaryFilesLeft: 0,
  });
  expect(tally.kills - tally.nothingToResume).toBeGreaterThanOrEqual(200);
  expect(Object.keys(tally.phases).length).toBeGreaterThan(5);
});
