import type { Host } from '../host/host.js';
import { type BeforeImages, createBeforeImages } from '../host/objects/before-images.js';
import type { State } from '../host/state/state.js';
import { type Changes, type ChangesOptions, createChanges } from './commit.js';

const BEFORE_IMAGES_QUOTA = 2 * 1024 * 1024 * 1024;

export interface OpenChangesOptions extends Pick<ChangesOptions, 'workspace' | 'record'> {
  host: Pick<Host, 'files' | 'ids' | 'clock' | 'log'>;
  state: State;
  /** Whose earlier versions stay while this process lives: the id of a session or of a run. */
  owner: string;
}

/** Changes to a workspace and the earlier versions of its files, both kept in the state folder. */
export function openChanges(options: OpenChangesOptions): { changes: Changes; objects: BeforeImages } {
  const { host, state, owner, workspace, record } = options;
  const { withLock } = state;
  const objects = createBeforeImages({
    ...host,
    directory: state.pathOf('objects'),
    owner,
    quotaBytes: BEFORE_IMAGES_QUOTA,
    withLock,
  });
  const intentsDirectory = state.pathOf('stage', 'intents');
  return {
    objects,
    changes: createChanges({ ...host, workspace, objects, intentsDirectory, withLock, record }),
  };
}
