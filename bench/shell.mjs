/** A command through the whole tool, decisions and report included, against starting bash directly. No sandbox. */
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
const toolbox = await createToolbox({
  workspace,
  stateFolder: join(folder, 'state'),
  sandbox: { mode: 'off' },
  confirm: async () => ({ kind: 'once' }),
});
const signal = new AbortController().signal;
const call = async (more) => {
  const [settled] = await toolbox.scheduler.run(
    [{ id: 'call', name: 'run_shell_command', arguments: { command: 'true', ...more } }],
    signal,
  );
  if (settled.response.response.output !== '(no output)\n[exit code 0]')
    throw new Error(JSON.stringify(settled.response.response));
};
const bash = () =>
  new Promise((resolve) => spawn('bash', ['-c', 'true'], { stdio: 'ignore' }).on('close', resolve));

try {
  const times = await interleaved(
    { bash, confirmed: () => call({ network: true }), automatic: () => call({}) },
    60,
    { pauseMs: 20 },
  );
  report('bash -c true', times.bash, times.bash);
  report('a confirmed command', times.confirmed, times.bash, 2);
  report('an automatic command, which bash reads once more', times.automatic, times.bash, 3);
} finally {
  await toolbox.close();
  rmSync(folder, { recursive: true, force: true });
}
