import { expect, it } from 'vitest';
import { canStage, isRoot } from '../../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { type Ground, killAtSteps } from './steps.js';

/** Kills a program at every so manyth step of keeping. */
export function testStepKills(every: number): void {
  const grounds: [Ground, () => Promise<boolean>][] = [
    ['overlay', canStage],
    // Only root may mount what keeps an overlay from being used.
    ['copy', async () => isRoot],
  ];
  it.each(grounds)(
    'a program that is killed at any step of keeping leaves all of the work kept or none of it (%s)',
    async (ground, canTry) => {
      if (!(await canTry()))
        return console.log(`evidence: kills at steps of keeping were not tried (${ground})`);
      const tally = await killAtSteps(ground, every);
      console.log(`evidence: kill -9 at steps of keeping, ${ground}: ${JSON.stringify(tally)}`);
      expect(tally.wrong).toEqual([]);
      expect(tally.before).toBeGreaterThan(0);
      expect(tally.after).toBeGreaterThan(0);
    },
    900_000,
  );
}
