import type { FileDiff } from '../base/content.js';
import { isNodeError, isToolError, messageOf, ToolError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Files } from '../host/files/files.js';
import type { Host, Ids, Log } from '../host/host.js';
import {
  type BeforeImages,
  type BlobSource,
  createBeforeImages,
  type WithLock,
} from '../host/objects/before-images.js';
import type { Chunks, Eviction } from '../host/objects/image-file.js';
import type { State } from '../host/state/state.js';
import type { Workspace } from '../host/workspace.js';
import {
  type ChangeSet,
  isEmptyChangeSet,
  type PlannedChanges,
  stateAfter,
  stateBefore,
} from './change-set.js';
import { applyChanges, type LeftAlone } from './commit/apply.js';
import { prepare } from './commit/prepare.js';
import {
  createIntents,
  hashesInIntents,
  type Intent,
  type Intents,
  isOneStep,
  type Recovery,
  type RecoveryOptions,
  recoverAll,
  rollBack,
  workspaceLock,
} from './commit/recovery.js';
import { diffOver, planUndo, type UndoPlan } from './undo.js';

export interface ChangesOptions {
  files: Files;
  workspace: Pick<Workspace, 'directory' | 'rootOf' | 'show'>;
  objects: BeforeImages;
  /** Folder of the state folder in which commits write down their plans. */
  intentsDirectory: string;
  withLock: WithLock;
  /** The folder whose only writer a commit is; default: the workspace. */
  lockedFolder?: string;
  /** False where the files end with this process: then nothing is written down for a later one. Default: true. */
  lasting?: boolean;
  ids: Pick<Ids, 'next'>;
  log: Pick<Log, 'error'>;
  /**
   * Writes a committed change set into the session's journal; the commit stands once this returns. After a
   * crash it may be called a second time for the same set.
   */
  record(changeSet: ChangeSet, origin: JsonObject): Promise<void>;
}

export interface CommitOptions {
  signal: AbortSignal;
  /** The asking session and call; handed to `record`, also after a crash. */
  origin?: JsonObject;
}

export interface Changes {
  /**
   * Commits everything or nothing: every file must be what the plan expects. Returns the set as it was carried out, for undo. Cancelling
   * before the first change does nothing; later it takes back what was done.
   */
  commit(planned: PlannedChanges, options: CommitOptions): Promise<ChangeSet>;
  /** The way back from a committed change set, to be shown, checked and committed like any other. */
  planUndo(changeSet: ChangeSet, signal: AbortSignal): Promise<UndoPlan>;
  /** Compares the files before the first of these change sets with the files now. */
  diffOver(changeSets: readonly ChangeSet[], signal: AbortSignal): Promise<FileDiff>;
  /** Deals with commits of this workspace that a crash interrupted. For every start. */
  recover(signal: AbortSignal): Promise<Recovery[]>;
  /**
   * Records changes that a program has made by itself, so that they can be undone: `before` gives the content of each
   * replaced version.
   */
  recordDone(
    done: ChangeSet,
    before: (hash: string) => Chunks,
    options: Pick<CommitOptions, 'origin'>,
  ): Promise<void>;
  /** Brings the store of earlier versions below its quota. */
  tidy(signal: AbortSignal): Promise<Eviction>;
}

/** The only place where workspace files are changed. */
export function createChanges(options: ChangesOptions): Changes {
  const { files, workspace, objects, intentsDirectory, withLock } = options;
  const intents = createIntents(intentsDirectory, workspace.directory, options);
  const needs = { ...options, intents };
  const lockName = workspaceLock(options.lockedFolder ?? workspace.directory);
  let keptBytes = 0;

  async function tidy(signal: AbortSignal): Promise<Eviction> {
    keptBytes = 0;
    return objects.evict(signal, await hashesInIntents(intentsDirectory));
  }

  return {
    async commit(planned, commitOptions) {
      const { signal } = commitOptions;
      if (isEmptyChangeSet(planned.changeSet)) return planned.changeSet;
      const committed = await withLock(lockName, () => commitAlone(planned, commitOptions, needs), signal);
      keptBytes += replacedBytes(committed);
      if (keptBytes > TIDY_EVERY_BYTES) {
        await tidy(signal).catch((error: unknown) =>
          options.log.error('The store could not be tidied', error),
        );
      }
      return committed;
    },
    planUndo: (changeSet, signal) =>
      planUndo(changeSet, { id: options.ids.next(), files, objects, workspace, signal }),
    diffOver: (changeSets, signal) => diffOver(changeSets, { files, objects, workspace, signal }),
    async recover(signal) {
      await objects.sweep();
      return (await intents.isEmpty()) ? [] : withLock(lockName, () => recoverAll(needs), signal);
    },
    async recordDone(done, before, { origin = {} }) {
      for (const state of done.changes.map(stateBefore)) {
        if (state.kind === 'file') await objects.save(state.hash, before(state.hash));
      }
      await options.record(done, origin);
      keptBytes += replacedBytes(done);
    },
    tidy,
  };
}

/** Under the workspace's lock only. */
async function commitAlone(
  { changeSet: planned, blobs }: PlannedChanges,
  { signal, origin = {} }: CommitOptions,
  needs: ChangesOptions & { intents: Intents },
): Promise<ChangeSet> {
  await recoverAll(needs);
  const changeSet = await prepare(planned, { files: needs.files, show: needs.workspace.show, signal });
  signal.throwIfAborted();
  const intent: Intent = { v: 1, changeSet, applied: false, temporaries: temporariesOf(changeSet), origin };
  const committed = await carryOut(intent, { ...needs, blobs, signal });
  if (needs.lasting === false) return committed;
  await keepForComparison(committed, blobs, needs.objects).catch((error: unknown) =>
    needs.log.error('New versions could not be kept for comparison', error),
  );
  return committed;
}

const TIDY_EVERY_BYTES = 64 * 1024 * 1024;
const LARGEST_COMPARED_BYTES = 256 * 1024;
const MOST_COMPARED = 64;

function temporariesOf({ id, changes }: ChangeSet): Record<string, string> {
  return Object.fromEntries(changes.map(({ path }, index) => [path, `.toolwright-${id}-${index}.tmp`]));
}

/** Keeps the new versions of small files, so that undo can show what others did to a file since. */
async function keepForComparison(
  { changes }: ChangeSet,
  blobs: BlobSource,
  objects: BeforeImages,
): Promise<void> {
  const written = changes
    .filter((change) => change.kind !== 'mode')
    .map(stateAfter)
    .filter((state) => state.kind === 'file')
    .filter(({ size = 0 }) => size <= LARGEST_COMPARED_BYTES);
  for (const { hash } of written.slice(0, MOST_COMPARED)) await objects.save(hash, [await blobs.read(hash)]);
}

function replacedBytes({ changes }: ChangeSet): number {
  return changes
    .map(stateBefore)
    .reduce((sum, state) => sum + (state.kind === 'file' ? (state.size ?? 0) : 0), 0);
}

interface CarryOutOptions extends RecoveryOptions {
  workspace: Pick<Workspace, 'show'>;
  log: Pick<Log, 'error'>;
  blobs: BlobSource;
  signal: AbortSignal;
}

/** Announces, applies, records; or takes everything back and throws. Under the workspace's lock only. */
async function carryOut(intent: Intent, options: CarryOutOptions): Promise<ChangeSet> {
  const { intents, record, log } = options;
  const progress: Progress = { attempted: new Set(), inPlace: [] };
  let committed: ChangeSet;
  try {
    await options.objects.pin(replacedHashes(intent.changeSet));
    await intents.write(intent);
  } catch (error) {
    throw couldNot(error);
  }
  try {
    committed = await apply(intent, progress, options);
    // The one file of a one-step set says itself that the set was applied.
    if (!isOneStep(intent.changeSet))
      await writeLasting(intents, { ...intent, changeSet: committed, applied: true });
    await record(committed, intent.origin);
  } catch (error) {
    await intents.withdraw(intent);
    const { attempted, inPlace } = progress;
    const left = await rollBack({ ...intent, inPlace }, { ...options, attempted });
    if (left.failed.length === 0) await intents.remove(intent);
    throw failure(error, withoutRefused(left, error, [...attempted].at(-1)), options.workspace.show);
  }
  // The commit stands: an intent that can't be removed is finished once more at the next start.
  await intents.remove(intent).catch((error: unknown) => log.error('An intent stayed', error));
  return committed;
}

interface Progress {
  /** The files whose turn has come, in order. */
  attempted: Set<string>;
  inPlace: string[];
}

async function writeLasting(intents: Intents, intent: Intent): Promise<void> {
  await intents.write(intent);
  await intents.makeLasting(intent);
}

async function apply(
  intent: Intent,
  { attempted, inPlace }: Progress,
  options: CarryOutOptions,
): Promise<ChangeSet> {
  const { files, blobs, signal, objects, intents } = options;
  const lasting = intents.makeLasting(intent);
  const settled = Promise.allSettled([lasting]);
  // With a single file to write, its new bytes and the intent go to the disk side by side.
  if (!isOneStep(intent.changeSet)) await lasting;
  try {
    return await applyChanges(intent.changeSet, {
      files,
      waitFor: lasting,
      blobs,
      signal,
      keepIn: objects,
      temporaries: intent.temporaries,
      onAttempt: (path) => void attempted.add(path),
      async beforeInPlace(path, hash) {
        // Recovery compares a file that a crash left half written with both versions, so both must be there.
        await objects.save(hash, [await blobs.read(hash)]);
        await intents.noteInPlace(intent, path);
        inPlace.push(path);
      },
    });
  } finally {
    await settled;
  }
}

function replacedHashes({ changes }: ChangeSet): string[] {
  return changes.map(stateBefore).flatMap((state) => (state.kind === 'file' ? [state.hash] : []));
}

/** A file that refused its change because someone else was faster has said so already. */
function withoutRefused(left: LeftAlone, error: unknown, last: string | undefined): LeftAlone {
  if (!isToolError(error) || error.code !== 'conflict') return left;
  return { ...left, foreign: left.foreign.filter((path) => path !== last) };
}

function failure(error: unknown, { foreign, failed }: LeftAlone, show: (path: string) => string): unknown {
  if (foreign.length + failed.length === 0) return couldNot(error);
  const lines = [
    ...foreign.map((path) => `${show(path)} was changed by someone else meanwhile and left alone`),
    ...failed.map(({ path, reason }) => `${show(path)} could not be taken back (${reason})`),
  ];
  return new ToolError(
    'failed',
    `The change failed half-way: ${messageOf(error)} It was taken back, except: ${lines.join('; ')}. Look at these files before you continue.`,
    { cause: error },
  );
}

/** Trouble with the state folder, such as a full disk, is something to be told, not a bug. */
function couldNot(error: unknown): unknown {
  if (isToolError(error) || !isNodeError(error) || typeof error.errno !== 'number') return error;
  return new ToolError(
    'failed',
    `Nothing was changed, because the change could not be kept: ${error.message}.`,
    {
      cause: error,
    },
  );
}

const BEFORE_IMAGES_QUOTA = 2 * 1024 * 1024 * 1024;

interface OpenChangesOptions extends Pick<ChangesOptions, 'workspace' | 'record'> {
  host: Pick<Host, 'files' | 'ids' | 'clock' | 'log'>;
  state: State;
  /** The session or run whose earlier versions stay while this process lives, by its id. */
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
