/** A reading command through the whole tool: on a read-only view because it is proven to only read, and staged. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, makeTree, median, report } from './measure.mjs';

const { createToolbox } = await loadSource(
  `export { createToolbox } from './packages/core/src/create-toolbox.js';`,
);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-bench-route-')));
const { signal } = new AbortController();

async function open(workspace, name, isStaged) {
  const toolbox = await createToolbox({
    workspace,
    stateFolder: join(base, `state-${name}`),
    sandbox: { mode: 'auto' },
    confirm: async () => {
      throw new Error('asked');
    },
  });
  if (isStaged) toolbox.commands.shell.permission.route = async () => ({ kind: 'staged' });
  return toolbox;
}

const call = (command) => ({ id: 'call', name: 'run_shell_command', arguments: { command } });
async function run({ scheduler }, ...commands) {
  const all = await scheduler.run(commands.map(call), signal);
  for (const { response } of all)
    if (!response.response.output?.includes('[exit code 0]'))
      throw new Error(JSON.stringify(response.response));
}

const WARM_UP = 30;
const toolboxes = [];
try {
  for (const count of [20, 20_000]) {
    const workspace = makeTree(join(base, `tree-${count}`), count);
    const proven = await open(workspace, `proven-${count}`, false);
    const staged = await open(workspace, `staged-${count}`, true);
    toolboxes.push(proven, staged);
    const possible = await staged.commands.shell.staged.possible(signal);
    const state = await proven.commands.sandbox.state(signal);
    // The process warms up over dozens of calls: the first row would hold that.
    await interleaved({ proven: () => run(proven, 'true'), staged: () => run(staged, 'true') }, WARM_UP);
    console.log(`${count} files; ${state.sentence}; staging: ${JSON.stringify(possible)}`);
    for (const command of ['true', 'ls d0', 'cat d0/e0/f0.txt', 'grep -rc file d0']) {
      const times = await interleaved(
        { proven: () => run(proven, command), staged: () => run(staged, command) },
        30,
        { pauseMs: 20 },
      );
      console.log(
        `  ${command}: proven ${median(times.proven).toFixed(1)} ms, staged ${median(times.staged).toFixed(1)} ms, ratio ${(median(times.staged) / median(times.proven)).toFixed(2)}`,
      );
    }
    // Reading commands of one batch: side by side where they are proven to only read, one after the other otherwise.
    const four = Array.from({ length: 4 }, () => 'sleep 0.1; cat d0/e0/f0.txt');
    const batches = await interleaved(
      {
        proven: () => run(proven, ...four),
        staged: () => run(staged, ...four.map((each) => `${each}; eval true`)),
      },
      8,
    );
    report('  four reading commands in one batch, staged, against proven', batches.staged, batches.proven);
  }
} finally {
  for (const toolbox of toolboxes) await toolbox.close();
  rmSync(base, { recursive: true, force: true });
}
