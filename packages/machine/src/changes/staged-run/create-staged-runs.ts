import { isEmptyFolder } from '../../host/leases/owned-folder.js';
import type { StagedRuns, StagedRunsNeeds } from './staged-run.js';

/** Loads nothing before the first run. */
export function createStagedRuns(needs: StagedRunsNeeds): StagedRuns {
  let opened: Promise<StagedRuns> | undefined;
  const open = (): Promise<StagedRuns> =>
    (opened ??= import('./open-staged-runs.js').then(({ openStagedRuns }) => openStagedRuns(needs)));
  return {
    possible: async (signal) => (await open()).possible(signal),
    wayToOverlay: async (signal, mount) => (await open()).wayToOverlay(signal, mount),
    run: async (launch, options) => (await open()).run(launch, options),
    runWatched: async (launch, options) => (await open()).runWatched(launch, options),
    sweep: async () => (isEmptyFolder(needs.state.pathOf('stage', 'runs')) ? [] : (await open()).sweep()),
  };
}
