import { silentLog } from '@toolwright/machine/host/node-host.js';
import { createFakeClock } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import { watchTools } from './watch-tools.js';

it('tool files are looked for again and again until the end, and the same problem is told once', async () => {
  const clock = createFakeClock();
  const ending = new AbortController();
  const answers = [[], ['a.ts: broken'], ['a.ts: broken'], []];
  const told: string[] = [];
  let looks = 0;
  const watching = watchTools(
    {
      async refresh() {
        looks += 1;
        return answers.shift() ?? Promise.reject(new Error('the folder is gone'));
      },
    },
    { clock, log: { ...silentLog, error: (text) => void told.push(text) }, signal: ending.signal },
  );
  for (let look = 1; look <= 6; look += 1) {
    clock.advance(2_000);
    await expect.poll(() => looks).toBe(look);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(told).toEqual(['a.ts: broken', 'the folder is gone']);
  ending.abort();
  await watching;
  clock.advance(2_000);
  expect(looks).toBe(6);
});
