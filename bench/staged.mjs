/** A command that does nothing, run on a copy of the workspace, against bash alone; and in a small and a large tree. */
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, loadSource, makeTree, median, report } from './measure.mjs';

const { createFolder } = await loadSource(`
  import { createStagedRuns } from './packages/machine/src/changes/staged-run/create-staged-runs.js';
  import { createFiles } from './packages/machine/src/host/files/create-files.js';
  import { createClock, createIds, silentLog } from './packages/machine/src/host/node-host.js';
  import { createProcesses } from './packages/machine/src/host/processes/create-processes.js';
  import { createSandbox } from './packages/machine/src/host/sandbox/create-sandbox.js';
  import { openState } from './packages/machine/src/host/state/state.js';
  import { createWorkspace } from './packages/machine/src/host/workspace.js';

  const { signal } = new AbortController();
  const [ids, clock, log] = [createIds(), createClock(), silentLog];
  const processes = createProcesses({ ids, clock, log });

  export function createFolder(directory, statePath) {
    const state = openState({ path: statePath, host: { ids, clock } });
    const workspace = createWorkspace({ directory });
    const files = createFiles(workspace, { ids });
    const staged = createStagedRuns({
      processes, workspace, files, state, ids, clock, log, withLock: state.withLock, changes: {}, objects: {},
    });
    const environment = { PATH: process.env.PATH, HOME: statePath };
    const sandbox = createSandbox({ mode: 'auto', environment, state });
    const launch = { program: 'bash', args: ['-c', 'true'], directory, environment };
    const profile = { workspace: 'writable', roots: [directory], network: 'off' };
    return {
      possible: () => staged.possible(signal),
      confined: () => sandbox.state(signal),
      direct: () => processes.run(launch, { signal }),
      apart: () => staged.run(launch, { signal }),
      inSandbox: () => staged.run(launch, { signal, confinement: { sandbox, profile } }),
    };
  }
`);

const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-bench-staged-')));

const openTree = (name, count) =>
  createFolder(makeTree(join(base, name), count), join(base, `${name}-state`));

function bashAlone() {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

try {
  const [small, large] = [openTree('small', 20), openTree('large', 20_000)];
  const staging = await small.possible();
  if (!staging.possible) console.log(`not measured: ${staging.why}`);
  else {
    const { confined, sentence } = await small.confined();
    const contestants = {
      bash: bashAlone,
      direct: small.direct,
      small: small.apart,
      large: large.apart,
      ...(confined ? { smallConfined: small.inSandbox, largeConfined: large.inSandbox } : {}),
    };
    // An overlay leaves the kernel something to tidy up.
    const times = await interleaved(contestants, 60, { pauseMs: 30 });
    console.log(`bash alone: ${median(times.bash).toFixed(1)} ms`);
    report('bash through the process runner', times.direct, times.bash);
    report('staged no-op, 20 files', times.small, times.bash, 8);
    report('staged no-op, 20,000 files, against 20', times.large, times.small, 1.2);
    if (!confined) console.log(`in the sandbox: not measured: ${sentence}`);
    else {
      report('staged no-op in the sandbox, 20 files', times.smallConfined, times.bash, 8);
      report(
        'staged no-op in the sandbox, 20,000 files, against 20',
        times.largeConfined,
        times.smallConfined,
        1.2,
      );
    }
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
