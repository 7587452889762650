import { expect, it } from 'vitest';
import { killRepeatedly } from './kill-commit/kill.js';

const mustBeZero = { torn: 0, temporariesLeft: 0, answeredLost: 0, foreign: 0 };

it('a process killed at random moments of commits and undos leaves whole change sets only', async () => {
  const tally = await killRepeatedly('mixed', { kills: 12, backwards: 1 });
  expect(tally).toMatchObject({ kills: 12, walkedBack: 1, ...mustBeZero });
  // Without these the kills would have landed beside the commits and shown nothing.
  expect(tally.takenBack).toBeGreaterThan(0);
  expect(tally.answered).toBeGreaterThan(0);
}, 300_000);

it('a process killed while it replaces one file leaves the old one or the new one, with its record', async () => {
  const tally = await killRepeatedly('single', { kills: 8, backwards: 1 });
  expect(tally).toMatchObject({ kills: 8, walkedBack: 1, ...mustBeZero });
  expect(tally.takenBack + tally.finished).toBeGreaterThan(0);
  expect(tally.answered).toBeGreaterThan(0);
}, 300_000);
