import { expect, it } from 'vitest';
import { killStaged } from './kill-staged/kill.js';

it('a process killed at 200 points of commits and undos of commands leaves nothing torn and nothing behind', async () => {
  const tally = await killStaged(200, ['commit', 'undo']);
  console.log(`evidence: kill -9 during commit and undo of staged runs: ${JSON.stringify(tally)}`);
  if (tally.untried !== undefined) return;
  expect(tally).toMatchObject({
    kills: 200,
    torn: 0,
    answeredLost: 0,
    foreign: 0,
    temporariesLeft: 0,
    leftovers: { mounts: 0, folders: 0, processes: 0 },
  });
  // Without these the kills would have landed beside the commits and shown nothing.
  expect(tally.takenBack).toBeGreaterThan(40);
  expect(tally.during.undo).toBeGreaterThan(40);
}, 900_000);
