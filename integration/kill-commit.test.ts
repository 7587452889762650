import { expect, it } from 'vitest';
import { emptyTally, finishKilling, killOnce, prepareKilling, walkBack } from './kill-commit/kill.js';

const KILLS = 60;

it('a process killed at random moments of commits and undos leaves whole change sets only', async () => {
  const killing = await prepareKilling();
  const tally = emptyTally();
  try {
    for (let kill = 0; kill < KILLS; kill++) await killOnce(killing, tally);
    const walkedBack = await walkBack(killing, 5);
    console.log(`kill-commit: ${JSON.stringify({ ...tally, walkedBack })}`);
    expect(tally).toMatchObject({
      kills: KILLS,
      torn: 0,
      temporariesLeft: 0,
      answeredLost: 0,
      foreign: 0,
    });
    expect(walkedBack).toBeGreaterThan(0);
    // Without these the kills would have landed beside the commits and shown nothing.
    expect(tally.takenBack).toBeGreaterThan(KILLS / 10);
    expect(tally.answered).toBeGreaterThan(0);
  } finally {
    finishKilling(killing);
  }
});
