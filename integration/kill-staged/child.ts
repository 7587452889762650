import { writeSync } from 'node:fs';
import { randomFrom, readJournal } from '../kill-commit/start.js';
import { generation } from './generations.js';
import { startStaged } from './start.js';

/** Stages commands, keeps what they did and undoes some of it until it is killed, and prints each step with its answer. */
const [base = '', seed = '1'] = process.argv.slice(2);
const { place, changes, staged, launch } = startStaged(base, 'child');
const { signal } = new AbortController();

const random = randomFrom(Number(seed));

await changes.recover(signal);
await staged.sweep();
const entries = readJournal(place.journal);
let newest = Math.max(0, ...entries.map(({ to }) => to));

for (;;) {
  const last = entries.at(-1);
  const from = last?.to ?? 0;
  if (!last || random() < 0.5) {
    const origin = { from, to: ++newest };
    writeSync(1, 'run\n');
    const run = await staged.run(launch(generation(origin.to)), { signal });
    if (run.notKept !== null || run.ended.exitCode !== 0) throw new Error(JSON.stringify(run));
    writeSync(1, 'commit\n');
    entries.push({ changeSet: await run.keep({ signal, origin }), ...origin });
  } else {
    const undo = await changes.planUndo(last.changeSet, signal);
    if (undo.kind !== 'ready') throw new Error(`undo: ${JSON.stringify(undo)}`);
    const origin = { from, to: last.from };
    writeSync(1, 'undo\n');
    entries.push({ changeSet: await changes.commit(undo.planned, { signal, origin }), ...origin });
  }
  writeSync(1, `${entries.at(-1)!.changeSet.id}\n`);
}
