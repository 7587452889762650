import { accessSync, constants } from 'node:fs';
import { orNull } from '../../base/errors.js';
import { isMountPoint } from '../staging/mounts.js';
import type { Location } from './walk.js';

/**
 * The reason why a file can only be overwritten in place, as far as that can be told beforehand: a new file would have
 * another owner, or can't be put there. Null when a new one can replace it.
 */
export function reasonForInPlace({ stat, directory, realPath }: Location): string | null {
  if (!stat?.isFile()) return null;
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0) {
    if (stat.uid !== BigInt(user)) return 'it belongs to another user';
    const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
    if (!groups.includes(Number(stat.gid))) return 'it belongs to a group that you are not in';
  }
  const takesFiles = orNull(() => accessSync(directory.at('.'), constants.W_OK)) !== null;
  if (!takesFiles) return 'its folder takes no new files';
  return isMountPoint(realPath) ? 'it is a mount point' : null;
}
