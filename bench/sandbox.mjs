/** A command that does nothing: bash alone, and bash in the sandbox, from the profile to the end of the process. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, median, report } from './measure.mjs';

const { createSandbox, openStateFolder } = await loadSource(`
  export { createSandbox } from './packages/machine/src/host/sandbox/create-sandbox.js';
  export { openStateFolder } from './packages/machine/src/host/state/state-folder.js';
`);

const ROUNDS = 60;
const TARGET = 4;

const base = realpathSync(mkdtempSync(join(tmpdir(), 'bench-sandbox-')));
const workspace = join(base, 'workspace');
mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true });
const state = openStateFolder(join(base, 'state'));
const sandbox = createSandbox({ mode: 'auto', environment: process.env, state });
const never = new AbortController().signal;
const launch = {
  program: 'bash',
  args: ['--noprofile', '--norc', '-c', 'true'],
  directory: workspace,
  environment: { PATH: process.env.PATH, HOME: process.env.HOME },
  endsInScript: true,
};
const profile = { workspace: 'writable', roots: [workspace], network: 'off' };
const guarded = { ...profile, protectedPaths: [join(workspace, '.git/hooks'), join(workspace, '.mcp.json')] };

/** A confined one as the program starts it: without a shell, and with the files that bubblewrap reads open. */
function run({ program, args, directory, environment, withoutShell = { program, args, reads: [] } }) {
  const opened = withoutShell.reads.map((path) => openSync(path, 'r'));
  return new Promise((resolve, reject) => {
    const child = spawn(withoutShell.program, withoutShell.args, {
      cwd: directory,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', ...opened],
    });
    for (const descriptor of opened) closeSync(descriptor);
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))));
  });
}

async function confined(wanted) {
  const { launch: inside, release } = await sandbox.confine(launch, wanted, never);
  await run(inside);
  await release();
}

try {
  const { confined: works, sentence } = await sandbox.state(never);
  if (works) {
    const times = await interleaved(
      {
        bash: () => run(launch),
        sandboxed: () => confined(profile),
        guarded: () => confined(guarded),
        planned: async () => (await sandbox.confine(launch, profile, never)).release(),
      },
      ROUNDS,
    );
    console.log(`bash -c true: ${median(times.bash).toFixed(1)} ms; ${sentence}`);
    report('in the sandbox', times.sandboxed, times.bash, TARGET);
    report('in the sandbox, with protected paths', times.guarded, times.bash);
    console.log(`of it, to plan the mounts: ${median(times.planned).toFixed(2)} ms`);
  } else console.log(`not measured: commands are ${sentence}`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
