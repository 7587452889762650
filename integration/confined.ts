import { spawnSync } from 'node:child_process';

/** True if commands are confined here. Elsewhere the tests that need it are left out, and a line says so. */
export const isConfined = spawnSync('/usr/bin/bwrap', ['--version']).status === 0;

if (!isConfined) console.log('evidence: bubblewrap is missing: what needs confined commands was not tried');
