import { expect, it } from 'vitest';
import { killApart } from './kill.js';

/** Kills a session apart so many times. */
export function testKillsApart(kills: number): void {
  it('a session apart that is killed goes on where it was: nothing torn, nothing lost, nothing left behind', async () => {
    const tally = await killApart(kills);
    console.log(`evidence: kill -9 of a session apart: ${JSON.stringify(tally)}`);
    if (tally.untried !== undefined) return;
    expect(tally).toMatchObject({
      kills,
      tornWorkspaces: 0,
      tornViews: 0,
      conflicts: 0,
      lost: 0,
      leftovers: { mounts: 0, folders: 0, processes: 0 },
    });
  }, 900_000);
}
