/** An edit in a 5 MB file through the tool, with commit and undo record, against read + hash + write + fsync of the same bytes. */
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

async function run(what, text, { grows = false } = {}) {
  const [baseline, edited] = [join(folder, `${what}-a.ts`), join(folder, `${what}-b.ts`)];
  writeFileSync(baseline, text);
  writeFileSync(edited, text);
  const toolbox = await createToolbox({
    workspace: folder,
    stateFolder: join(folder, '.state'),
    approvalMode: 'yolo',
  });
  let count = 0;
  // Each edit makes a content that was not there before, so that each has an earlier version to keep.
  const edit = async () => {
    const [from, to] = [`${count === 0 ? 'compute' : `changed${count}`}(30000,`, `changed${++count}(30000,`];
    const args = { file_path: edited, old_string: from, new_string: to };
    const [settled] = await toolbox.scheduler.run(
      [{ id: '', name: 'edit', arguments: args }],
      new AbortController().signal,
    );
    if (settled.error) throw new Error(settled.error.message);
  };
  if (grows) await growth(what, edit);
  const times = await interleaved({ plain: () => plain(baseline), edit }, 20);
  report(`${what}: read + hash + write + fsync`, times.plain, times.plain);
  report(`${what}: edit`, times.edit, times.plain, 2.5);
  await toolbox.close();
}

/** Edits of one file again and again, by the time that this process computes: what a busy disk takes is no growth. */
async function growth(what, edit) {
  const times = [];
  for (let count = 0; count < 60; count++) {
    const before = process.cpuUsage();
    await edit();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  const sorted = (from, to) => times.slice(from, to).sort((left, right) => left - right);
  report(`${what}: computing for edits 41 to 60, against edits 1 to 20`, sorted(40), sorted(0, 20), 1.15);
}

try {
  await run('5 MB of ASCII', lines.join(''), { grows: true });
  await run(
    '5 MB with other letters',
    lines.map((text) => text.replace('a comment', 'Größe 大きさ')).join(''),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
