export { createStagedRuns } from './changes/staged-run/create-staged-runs.js';
