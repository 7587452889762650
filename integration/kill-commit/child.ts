import { writeSync } from 'node:fs';
import { type Entry, placeIn, randomFrom, readJournal, start } from './start.js';
import { planBetween, type Variant, worldOf } from './world.js';

/** Commits one generation after the other, and takes some back, until it is killed. Says when, and what it answered. */
const [base = '', seed = '1', variant = 'mixed'] = process.argv.slice(2) as [string, string, Variant];
const place = placeIn(base);
const { changes, newId } = start(place, 'child');
const { signal } = new AbortController();

const random = randomFrom(Number(seed));

await changes.recover(signal);
const entries = readJournal(place.journal);
let newest = Math.max(0, ...entries.map(({ to }) => to));

for (;;) {
  const { planned, origin } = await next(entries.at(-1));
  writeSync(1, 'commit\n');
  const changeSet = await changes.commit(planned, { signal, origin });
  writeSync(1, `${changeSet.id}\n`);
  entries.push({ changeSet, ...origin });
}

async function next(last: Entry | undefined) {
  const generation = last?.to ?? 0;
  if (!last || random() < 0.6) {
    const origin = { from: generation, to: ++newest };
    const [before, after] = [worldOf(origin.from, variant), worldOf(origin.to, variant)];
    return { planned: planBetween(before, after, { id: newId(), root: place.workspace }), origin };
  }
  const undo = await changes.planUndo(last.changeSet, signal);
  if (undo.kind !== 'ready') throw new Error(`undo: ${JSON.stringify(undo)}`);
  return { planned: undo.planned, origin: { from: last.to, to: last.from } };
}
