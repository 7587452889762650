import { existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isToolError } from '../../packages/machine/src/base/errors.js';
import { planChanges } from '../../packages/machine/src/changes/plan.js';
import { placeIn, start } from '../kill-commit/start.js';

/**
 * Adds its own line to every counter file, again and again, in one change set each time: what it read, plus
 * one. A conflict means that another process was faster; then it reads again. Prints what became of each try.
 */
const [base = '', name = '', rounds = '0'] = process.argv.slice(2);
const place = placeIn(base);
const { changes, newId } = start(place, name);
const { signal } = new AbortController();
const counters = ['one', 'two', 'deep/three'];

await changes.recover(signal);
writeFileSync(join(base, `ready-${name}`), '');
while (!existsSync(join(base, 'go'))) await new Promise((resolve) => setTimeout(resolve, 1));
for (let round = 0; round < Number(rounds); ) {
  const before = counters.map((counter) => readFileSync(join(place.workspace, counter)));
  const planned = await planChanges({
    id: newId(),
    show: (path) => path,
    files: counters.map((counter, index) => ({
      path: join(place.workspace, counter),
      before: { bytes: before[index]! },
      after: { bytes: Buffer.concat([before[index]!, Buffer.from(`${name} ${round}\n`)]) },
    })),
  });
  // Time for the others to be faster.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  try {
    await changes.commit(planned, { signal, origin: { from: 0, to: 0 } });
    writeSync(1, `committed ${name} ${round}\n`);
    round += 1;
  } catch (error) {
    if (!isToolError(error) || error.code !== 'conflict') throw error;
    writeSync(1, 'conflict\n');
  }
}
