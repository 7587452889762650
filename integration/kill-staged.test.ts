import { expect, it } from 'vitest';
import { isConfined } from './confined.js';
import { killStaged } from './kill-staged/kill.js';

it.runIf(isConfined)(
  'a process killed while it stages commands, keeps and undoes leaves nothing torn and nothing behind',
  async () => {
    const tally = await killStaged(6, ['run', 'commit', 'undo']);
    console.log(`evidence: kill -9 around staged runs: ${JSON.stringify(tally)}`);
    if (tally.untried !== undefined) return;
    expect(tally).toMatchObject({
      kills: 6,
      torn: 0,
      answeredLost: 0,
      foreign: 0,
      temporariesLeft: 0,
      leftovers: { mounts: 0, folders: 0, processes: 0 },
    });
  },
  300_000,
);
