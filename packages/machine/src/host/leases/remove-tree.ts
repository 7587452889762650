import { rm } from 'node:fs/promises';
import { isNodeError } from '../../base/errors.js';
import { runOwnProgram } from '../processes/launch/child-process.js';

const LIMIT_MS = 60_000;

/** Removes a folder with all that is in it, whatever modes and depths a command has left there. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!isNodeError(error, 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error;
    await removeStubborn(path);
  }
}

/** Folders that nobody may enter are opened, one after the other, before `find` would go into them. */
const script = `find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \\; ; rm -rf -- "$1"`;

/** Node names every file by its whole path; these programs go from folder to folder and reach those too deep for that. */
async function removeStubborn(path: string): Promise<void> {
  const { failure } = await runOwnProgram('/bin/sh', ['-c', script, 'sh', path], { deadlineMs: LIMIT_MS });
  if (failure) throw failure;
}
