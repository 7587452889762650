import { spawnSync } from 'node:child_process';

/** Hooks and servers of extensions run in the sandbox or not at all. */
export const canConfine =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', 'true'], { stdio: 'ignore' }).status === 0;
if (!canConfine) console.log('skipped: bubblewrap does not work here, so nothing of an extension runs');
