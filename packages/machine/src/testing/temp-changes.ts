import { join } from 'node:path';
import type { JsonObject } from '../base/json.js';
import type { ChangeSet, PlannedChanges } from '../changes/change-set.js';
import { type Changes, type ChangesOptions, createChanges } from '../changes/commit.js';
import { type PlannedFile, planChanges } from '../changes/plan.js';
import { createClock, createIds } from '../host/node-host.js';
import { type BeforeImages, createBeforeImages } from '../host/objects/before-images.js';
import { openState, type State } from '../host/state/state.js';
import { createTempWorkspace, type TempWorkspace, type TempWorkspaceOptions } from './temp-workspace.js';

/** A temporary workspace whose files are changed by change sets, with a state folder beside it. */
export interface TempChanges extends TempWorkspace {
  changes: Changes;
  objects: BeforeImages;
  state: State;
  /** The change sets that were recorded, in order. */
  recorded: { changeSet: ChangeSet; origin: JsonObject }[];
  /** A plan from the present content of the named files to the given one; null removes. */
  plan(wanted: Record<string, string | Uint8Array | null>): Promise<PlannedChanges>;
  /** Plans and commits. */
  commit(wanted: Record<string, string | Uint8Array | null>): Promise<ChangeSet>;
  /** Acts as another process: the same folders, a store of its own. */
  another(options?: Partial<ChangesOptions>): Changes;
}

export interface TempChangesOptions extends TempWorkspaceOptions {
  quotaBytes?: number;
  changes?: Partial<ChangesOptions>;
}

const never = new AbortController().signal;

export function createTempChanges(options: TempChangesOptions = {}): TempChanges {
  const temporary = createTempWorkspace(options);
  const { workspace, files, log } = temporary;
  const [ids, clock] = [createIds(), createClock()];
  const state = openState({ path: join(temporary.outside, 'state'), host: { ids, clock } });
  const { withLock } = state;
  const recorded: TempChanges['recorded'] = [];
  const storeOf = (owner: string) =>
    createBeforeImages({
      directory: state.pathOf('objects'),
      owner,
      quotaBytes: options.quotaBytes ?? 2 ** 30,
      ids,
      clock,
      withLock,
    });
  const objects = storeOf('test');
  const settings: ChangesOptions = {
    files,
    workspace,
    objects,
    withLock,
    ids,
    log,
    intentsDirectory: state.pathOf('intents'),
    record: async (changeSet, origin) => void recorded.push({ changeSet, origin }),
    ...options.changes,
  };
  const changes = createChanges(settings);
  const plan = async (wanted: Record<string, string | Uint8Array | null>): Promise<PlannedChanges> =>
    planChanges({
      id: ids.next(),
      files: await Promise.all(
        Object.entries(wanted).map(([path, after]) => planned(temporary, path, after)),
      ),
      show: workspace.show,
    });
  return {
    ...temporary,
    changes,
    objects,
    state,
    recorded,
    plan,
    commit: async (wanted) => changes.commit(await plan(wanted), { signal: never }),
    another: (changed = {}) => createChanges({ ...settings, objects: storeOf('another'), ...changed }),
  };
}

async function planned(
  { files, path: pathOf }: TempWorkspace,
  name: string,
  after: string | Uint8Array | null,
): Promise<PlannedFile> {
  const path = pathOf(name);
  const wanted = after === null ? null : { bytes: typeof after === 'string' ? Buffer.from(after) : after };
  const stat = await files.lstat(path);
  if (stat === null) return { path, before: null, after: wanted };
  if (stat.kind === 'symlink') return { path, before: { target: await files.readLink(path) }, after: wanted };
  const { bytes, hash } = await files.read(path);
  return { path, before: { bytes, hash, mode: stat.mode }, after: wanted };
}
