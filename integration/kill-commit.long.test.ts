import { expect, it } from 'vitest';
import { killRepeatedly } from './kill-commit/kill.js';

const mustBeZero = { torn: 0, temporariesLeft: 0, answeredLost: 0, foreign: 0 };

it('a process killed at random moments of commits and undos leaves whole change sets only', async () => {
  const tally = await killRepeatedly('mixed', { kills: 300, backwards: 20 });
  expect(tally).toMatchObject({ kills: 300, walkedBack: 20, ...mustBeZero });
  // Without these the kills would have landed beside the commits and shown nothing.
  expect(tally.takenBack).toBeGreaterThan(100);
  expect(tally.duringUndo).toBeGreaterThan(20);
  expect(tally.answered).toBeGreaterThan(100);
});

it('a process killed while it replaces one file leaves the old one or the new one, with its record', async () => {
  const tally = await killRepeatedly('single', { kills: 100, backwards: 8 });
  expect(tally).toMatchObject({ kills: 100, walkedBack: 8, ...mustBeZero });
  expect(tally.takenBack + tally.finished).toBeGreaterThan(10);
  expect(tally.answered).toBeGreaterThan(30);
});

it('a large file killed while it is overwritten in place is whole after the next start', async () => {
  const tally = await killRepeatedly('large', { kills: 60, backwards: 3 });
  expect(tally).toMatchObject({ kills: 60, walkedBack: 3, ...mustBeZero });
  expect(tally.foundTorn).toBeGreaterThan(0);
});
