import { createStagedRuns } from '../../packages/machine/src/changes/staged-run/create-staged-runs.js';
import type { StagedRuns } from '../../packages/machine/src/changes/staged-run/staged-run.js';
import { createFiles } from '../../packages/machine/src/host/files/create-files.js';
import { createClock, createIds, silentLog } from '../../packages/machine/src/host/node-host.js';
import { createProcesses } from '../../packages/machine/src/host/processes/create-processes.js';
import type { Launch } from '../../packages/machine/src/host/processes/processes.js';
import { openState } from '../../packages/machine/src/host/state/state.js';
import { createWorkspace } from '../../packages/machine/src/host/workspace.js';
import { type Place, placeIn, type Started, start } from '../kill-commit/start.js';

export interface StartedStaged extends Started {
  place: Place;
  staged: StagedRuns;
  launch(command: string): Launch;
}

/** The start of the program, with staged commands. */
export function startStaged(base: string, owner: string): StartedStaged {
  const place = placeIn(base);
  const started = start(place, owner);
  const [ids, clock, log] = [createIds(), createClock(), silentLog];
  const state = openState({ path: place.state, host: { ids, clock } });
  const workspace = createWorkspace({ directory: place.workspace });
  const staged = createStagedRuns({
    ...started,
    state,
    workspace,
    files: createFiles(workspace, { ids }),
    withLock: state.withLock,
    processes: createProcesses({ ids, clock, log, state }),
    ids,
    clock,
    log,
  });
  const launch = (command: string): Launch => ({
    program: 'bash',
    args: ['-c', command],
    directory: place.workspace,
    environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
  });
  return { ...started, place, staged, launch };
}
