import { spawnSync } from 'node:child_process';

/** Whether commands are confined here. Where they are not, what needs that is left out, and it is said. */
export const isConfined = spawnSync('/usr/bin/bwrap', ['--version']).status === 0;

if (!isConfined) console.log('evidence: bubblewrap is missing: what needs confined commands was not tried');
