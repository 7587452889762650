import { isEmptyFolder } from '../../host/leases/owned-folder.js';
import type { StagedRuns, StagedRunsParts } from './staged-run.js';

/** Loads nothing before the first run. */
export function createStagedRuns(parts: StagedRunsParts): StagedRuns {
  let opened: Promise<StagedRuns> | undefined;
  const open = (): Promise<StagedRuns> =>
    (opened ??= import('./open-staged-runs.js').then(({ openStagedRuns }) => openStagedRuns(parts)));
  return {
    possible: async (signal) => (await open()).possible(signal),
    run: async (launch, options) => (await open()).run(launch, options),
    runWatched: async (launch, options) => (await open()).runWatched(launch, options),
    sweep: async () => (isEmptyFolder(parts.state.pathOf('stage', 'runs')) ? [] : (await open()).sweep()),
  };
}
