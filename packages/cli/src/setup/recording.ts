import { deadlineIn, openRecorder } from '@toolwright/core/front-end';
import { programVersion } from './program-version.js';
import type { Watcher } from './watcher.js';

const TREE_LIMIT_MS = 120_000;

/** Begins the file of `--record`. */
export function recordTo(path: string, withTree: boolean): Watcher {
  const recorder = openRecorder({ path, withTree, program: programVersion() });
  return { ...recorder, begin: (agent) => recorder.begin(agent, deadlineIn(TREE_LIMIT_MS)) };
}
