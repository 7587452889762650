import type { Profile } from '../../host/sandbox/sandbox.js';
import { isNearlyFull, type SpaceWatch, watchSpace } from '../../host/staging/space.js';

const DISK_FULL =
  'stopped because the disk that holds its /tmp was nearly full: make room, or let it write less there';

/**
 * Even a command that may change nothing has a /tmp to fill. Where the disk is full already nothing is stopped for it:
 * the command may be looking for the reason.
 */
export function watchTemporary({ temporaryFolder }: Pick<Profile, 'temporaryFolder'>): SpaceWatch {
  if (temporaryFolder === undefined || isNearlyFull(temporaryFolder))
    return { signal: new AbortController().signal, stop: () => undefined };
  return watchSpace(temporaryFolder, DISK_FULL);
}
