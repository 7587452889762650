/** Deleting many files and taking that back, against a plain copy of the same files that is as safe: each flushed, then renamed. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { interleaved, loadSource, report } from './measure.mjs';

const FILES = 2_000;
const { createTempChanges } = await loadSource(`
  export { createTempChanges } from './packages/machine/src/testing/temp-changes.js';
`);

const names = Array.from({ length: FILES }, (_, index) => `d${index % 20}/f${index}.txt`);
const contentOf = (name) => `content of ${name}\n${'line\n'.repeat(20)}`;
const temp = createTempChanges({ content: Object.fromEntries(names.map((name) => [name, contentOf(name)])) });
const { signal } = new AbortController();
const copies = join(temp.outside, 'copies');

function copyAll() {
  rmSync(copies, { recursive: true, force: true });
  for (const name of names) {
    const bytes = readFileSync(temp.path(name));
    mkdirSync(join(copies, name, '..'), { recursive: true });
    const descriptor = openSync(join(copies, `${name}.new`), 'w');
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(join(copies, `${name}.new`), join(copies, name));
  }
}

let deleted;
async function undo() {
  const plan = await temp.changes.planUndo(deleted, signal);
  if (plan.kind !== 'ready') throw new Error(`the undo is not possible: ${plan.kind}`);
  await temp.changes.commit(plan.planned, { signal });
}

const times = { copy: [], undo: [] };
for (let round = 0; round < 3; round++) {
  const { copy } = await interleaved({ copy: copyAll }, 1);
  deleted = await temp.commit(Object.fromEntries(names.map((name) => [name, null])));
  const started = performance.now();
  await undo();
  times.undo.push(performance.now() - started);
  times.copy.push(...copy);
}
for (const list of Object.values(times)) list.sort((left, right) => left - right);
report(`undo of ${FILES} deletions (baseline: a copy, each file flushed)`, times.undo, times.copy, 1);
await temp.cleanup();
