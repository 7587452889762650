/** Sessions apart: beginning in a small and a large tree, calls against the same calls outside, and the review of many files. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, makeTree, median, report } from './measure.mjs';

const { createToolbox } = await loadSource(
  `export { createToolbox } from './packages/core/src/create-toolbox.js';`,
);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-bench-apart-')));
const { signal } = new AbortController();
const CHANGED = 2_000;
const MOST_BEGIN_MS = 30;

const open = (workspace, apart) =>
  createToolbox({
    workspace,
    stateFolder: join(base, `state-${workspace.split('/').at(-1)}`),
    approvalMode: 'auto-edit',
    apart,
  });

const begin = (workspace, apart) => async () => {
  const toolbox = await open(workspace, apart);
  opened.push(toolbox);
};
const opened = [];

async function call({ scheduler }, name, args) {
  const [settled] = await scheduler.run([{ id: 'call', name, arguments: args }], signal);
  if (settled.error) throw new Error(settled.error.message);
}

const calls = {
  'a read': ['read_file', { file_path: 'd1/e0/f1.txt' }],
  'a grep': ['grep_search', { pattern: 'file 19' }],
  // Writes nothing, but nothing proves that.
  'a command': ['run_shell_command', { command: 'eval true' }],
};
const targets = { 'a read': 1.15, 'a grep': 1.15, 'a command': 1 };

try {
  const [small, large] = [makeTree(join(base, 'small'), 20), makeTree(join(base, 'large'), 20_000)];
  const outside = await open(large, false);
  opened.push(outside);
  const staging = await outside.commands.shell.staged.possible(signal);
  if (!staging.possible) console.log(`not measured: ${staging.why}`);
  else {
    const begins = await interleaved(
      {
        plain: begin(small, false),
        small: begin(small, true),
        large: begin(large, true),
      },
      15,
      { pauseMs: 30 },
    );
    report('beginning apart, 20,000 files, against 20', begins.large, begins.small, 1.2);
    const over = median(begins.small) - median(begins.plain);
    const verdict = over <= MOST_BEGIN_MS ? 'ok' : 'MISSED';
    console.log(
      `beginning apart over a plain start: ${over.toFixed(1)} ms, target ${MOST_BEGIN_MS} ms: ${verdict}`,
    );
    const apart = await open(large, true);
    opened.push(apart);
    const compare = async (what, label) => {
      const [name, args] = calls[what];
      const contestants = { outside: () => call(outside, name, args), apart: () => call(apart, name, args) };
      const times = await interleaved(contestants, 60, { pauseMs: 20 });
      report(label, times.apart, times.outside, targets[what]);
    };
    for (const what of Object.keys(calls)) await compare(what, `${what} apart`);
    const some = 'echo more >> d1/e1/f21.txt; rm d2/e2/f42.txt; echo new > d3/new.txt; echo new > new.txt';
    await call(apart, 'run_shell_command', { command: some });
    await compare('a grep', 'a grep apart where files were changed, added and removed');
    const command = `for i in $(seq ${CHANGED}); do echo more >> d$((i % 20))/e$((i / 20 % 20))/f$i.txt; done`;
    await call(apart, 'run_shell_command', { command });
    const times = [];
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      const { review } = await apart.apart.review(signal);
      times.push(performance.now() - started);
      if (review.items.length < CHANGED) throw new Error(`${review.items.length} items`);
    }
    const ms = times.sort((left, right) => left - right)[2];
    console.log(
      `review of ${CHANGED} changed files: ${ms.toFixed(0)} ms, target 1000 ms: ${ms <= 1_000 ? 'ok' : 'MISSED'}`,
    );
  }
} finally {
  for (const toolbox of opened) await toolbox.close();
  await rm(base, { recursive: true, force: true });
}
