/** A command through the whole tool, decisions and report included, against starting bash directly, or in bubblewrap. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, report } from './measure.mjs';

const { createToolbox } = await loadSource(
  `export { createToolbox } from './packages/core/src/create-toolbox.js';`,
);

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const workspace = join(folder, 'work');
mkdirSync(workspace);
const open = (mode) =>
  createToolbox({
    workspace,
    stateFolder: join(folder, `state-${mode}`),
    sandbox: { mode },
    confirm: async () => ({ kind: 'once' }),
  });
const toolbox = await open('off');
const confined = await open('auto');
const signal = new AbortController().signal;
const call = async (more, { scheduler } = toolbox) => {
  const [settled] = await scheduler.run(
    [{ id: 'call', name: 'run_shell_command', arguments: { command: 'true', ...more } }],
    signal,
  );
  if (settled.response.response.output !== '(no output)\n[exit code 0]')
    throw new Error(JSON.stringify(settled.response.response));
};
const start = (program, args) =>
  new Promise((resolve) => spawn(program, args, { stdio: 'ignore' }).on('close', resolve));
const bash = () => start('bash', ['-c', 'true']);
const bubblewrap = () =>
  start('bwrap', [...'--unshare-all --ro-bind / / --dev /dev --proc /proc bash -c true'.split(' ')]);

try {
  const { confined: isConfined, sentence } = await confined.commands.sandbox.state(signal);
  const times = await interleaved(
    {
      bash,
      confirmed: () => call({ network: true }),
      plain: () => call({}),
      automatic: () => call({ command: 'true {,}' }),
      ...(isConfined ? { bubblewrap, sandboxed: () => call({}, confined) } : {}),
    },
    60,
    { pauseMs: 20 },
  );
  report('bash -c true', times.bash, times.bash);
  report('a confirmed command', times.confirmed, times.bash, 2);
  report('an automatic command', times.plain, times.bash, 2);
  report('an automatic command, which bash reads once more', times.automatic, times.bash, 3);
  if (isConfined)
    report(
      'an automatic command in the sandbox, against bubblewrap alone',
      times.sandboxed,
      times.bubblewrap,
      1.64,
    );
  else console.log(`not measured: commands are ${sentence}`);
} finally {
  await toolbox.close();
  await confined.close();
  rmSync(folder, { recursive: true, force: true });
}
