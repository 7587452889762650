/** An edit in a 5 MB file through the tool, with commit and undo record, against read + hash + write + fsync of the same bytes. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, report } from './measure.mjs';

const { createToolbox } = await loadSource(
  `export { createToolbox } from './packages/core/src/create-toolbox.js';`,
);
const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const line = (index) =>
  `const value${index} = compute(${index}, "some text to make the line longer"); // a comment\n`;
const lines = Array.from({ length: Math.ceil((5 * 1024 * 1024) / line(10_000).length) }, (_, index) =>
  line(index),
);

function plain(path) {
  const bytes = readFileSync(path);
  createHash('sha256').update(bytes).digest('hex');
  const descriptor = openSync(`${path}.tmp`, 'w');
  writeSync(descriptor, bytes);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(`${path}.tmp`, path);
}

/** A toolbox and a file in it; each edit makes a content that was not there before, so that each has an earlier version to keep. */
async function openEdits(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  const toolbox = await createToolbox({
    workspace: folder,
    stateFolder: join(folder, '.state'),
    approvalMode: 'yolo',
  });
  let count = 0;
  const edit = async () => {
    const [from, to] = [`${count === 0 ? 'compute' : `changed${count}`}(30000,`, `changed${++count}(30000,`];
    const args = { file_path: path, old_string: from, new_string: to };
    const [settled] = await toolbox.scheduler.run(
      [{ id: '', name: 'edit', arguments: args }],
      new AbortController().signal,
    );
    if (settled.error) throw new Error(settled.error.message);
  };
  return { edit, close: () => toolbox.close() };
}

async function run(what, text) {
  const baseline = join(folder, `${what}-a.ts`);
  writeFileSync(baseline, text);
  const { edit, close } = await openEdits(`${what}-b.ts`, text);
  const times = await interleaved({ plain: () => plain(baseline), edit }, 20);
  report(`${what}: read + hash + write + fsync`, times.plain, times.plain);
  report(`${what}: edit`, times.edit, times.plain, 2.5);
  await close();
}

/**
 * Edits of one file again and again, as long as the user waits: the time of all threads would count the collection of
 * garbage beside them, which falls into every second edit or every third.
 */
async function growth(what, text) {
  const { edit, close } = await openEdits(`${what}-c.ts`, text);
  const times = [];
  for (let count = 0; count < 60; count++) {
    const started = performance.now();
    await edit();
    times.push(performance.now() - started);
  }
  const sorted = (from, to) => times.slice(from, to).sort((left, right) => left - right);
  report(`${what}: edits 41 to 60, against edits 1 to 20`, sorted(40), sorted(0, 20), 1.15);
  await close();
}

const ascii = lines.join('');
const parts = {
  ascii: () => run('5 MB of ASCII', ascii),
  letters: () => run('5 MB with other letters', ascii.replaceAll('a comment', 'Größe 大きさ')),
  growth: () => growth('5 MB of ASCII', ascii),
};

try {
  const [, script, part] = process.argv;
  if (part !== undefined) await parts[part]();
  // Each in a process of its own, as a session is: the second of two in one process took half as long again.
  else
    for (const name of Object.keys(parts)) spawnSync(process.execPath, [script, name], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
