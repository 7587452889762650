import { isToolError, messageOf, ToolError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Files } from '../host/files.js';
import type { Ids, Log } from '../host/host.js';
import type { Workspace } from '../host/workspace.js';
import type { BeforeImages, WithLock } from './before-images.js';
import {
  type BlobSource,
  type ChangeSet,
  isEmptyChangeSet,
  type PlannedChanges,
  stateAfter,
  stateBefore,
} from './change-set.js';
import { applyChanges, type LeftAlone } from './commit/apply.js';
import { createIntents, hashesInIntents, type Intent, workspaceKey } from './commit/intents.js';
import { prepare } from './commit/prepare.js';
import { type Recovery, recoverOne, rollBack } from './commit/recovery.js';
import type { Eviction } from './objects/evict.js';
import { planUndo, type UndoPlan } from './undo.js';

export interface ChangesOptions {
  files: Files;
  workspace: Pick<Workspace, 'directory' | 'show'>;
  objects: BeforeImages;
  /** Where commits write down what they are about to do: a folder of the state folder. */
  intentsDirectory: string;
  withLock: WithLock;
  ids: Pick<Ids, 'next'>;
  log: Pick<Log, 'error'>;
  /**
   * Writes a committed change set into the session's journal; the commit stands once this returns. After a
   * crash it may be called a second time for the same set.
   */
  record(changeSet: ChangeSet, origin: JsonObject): Promise<void>;
  /** Told of each interrupted commit that was finished or taken back, at the start or before another commit. */
  onRecovered?(recovery: Recovery): void;
}

export interface CommitOptions {
  signal: AbortSignal;
  /** Who asked for it (session, call); handed to `record`, also after a crash. */
  origin?: JsonObject;
}

export interface Changes {
  /**
   * All of it or nothing: every file must be what the plan expects. Returns the set as it was carried out, for
   * undo. Cancelling before the first change does nothing; later it takes back what was done.
   */
  commit(planned: PlannedChanges, options: CommitOptions): Promise<ChangeSet>;
  /** The way back from a committed change set, to be shown, checked and committed like any other. */
  planUndo(changeSet: ChangeSet, signal: AbortSignal): Promise<UndoPlan>;
  /** Deals with commits of this workspace that a crash interrupted. For every start. */
  recover(signal: AbortSignal): Promise<Recovery[]>;
  /** Brings the store of earlier versions below its quota. */
  tidy(signal: AbortSignal): Promise<Eviction>;
}

/** The only place where workspace files are changed. */
export function createChanges(options: ChangesOptions): Changes {
  const { files, workspace, objects, intentsDirectory, withLock, record } = options;
  const intents = createIntents(intentsDirectory, workspace.directory);
  const lockName = `changes-${workspaceKey(workspace.directory)}`;
  let keptBytes = 0;

  async function recoverAll(): Promise<Recovery[]> {
    const { found, unreadable } = await intents.pending();
    for (const path of unreadable) {
      options.log.error(`An unfinished commit of another version of Toolwright was left alone: ${path}`);
    }
    const recoveries: Recovery[] = [];
    for (const intent of found) {
      const recovery = await recoverOne(intent, { files, objects, intents, record });
      recoveries.push(recovery);
      options.onRecovered?.(recovery);
    }
    return recoveries;
  }

  async function carryOut(intent: Intent, blobs: BlobSource, signal: AbortSignal): Promise<ChangeSet> {
    const inPlace: string[] = [];
    const attempted = new Set<string>();
    let committed: ChangeSet;
    try {
      committed = await applyChanges(intent.changeSet, {
        files,
        blobs,
        signal,
        keepIn: objects,
        temporaries: intent.temporaries,
        onAttempt: (path) => void attempted.add(path),
        beforeInPlace: async (path, hash) => {
          await objects.save(hash, [await blobs.read(hash)]);
          await intents.noteInPlace(intent, path);
          inPlace.push(path);
        },
      });
      await intents.write({ ...intent, changeSet: committed, applied: true });
      await record(committed, intent.origin);
    } catch (error) {
      await intents.withdraw(intent);
      const left = await rollBack({ ...intent, inPlace }, { files, objects, attempted });
      if (left.failed.length === 0) await intents.remove(intent);
      throw failure(error, withoutRefused(left, error, [...attempted].at(-1)), workspace.show);
    }
    // It stands: an intent that can't be removed is finished once more at the next start.
    await intents.remove(intent).catch((error: unknown) => options.log.error('An intent stayed', error));
    return committed;
  }

  async function commitLocked(
    { changeSet: planned, blobs }: PlannedChanges,
    { signal, origin = {} }: CommitOptions,
  ): Promise<ChangeSet> {
    await recoverAll();
    const changeSet = await prepare(planned, { files, show: workspace.show, signal });
    signal.throwIfAborted();
    const intent: Intent = { v: 1, changeSet, applied: false, temporaries: temporariesOf(changeSet), origin };
    await intents.write(intent);
    const committed = await carryOut(intent, blobs, signal);
    await keepForComparison(committed, blobs, objects).catch((error: unknown) =>
      options.log.error('New versions could not be kept for comparison', error),
    );
    return committed;
  }

  async function tidy(signal: AbortSignal): Promise<Eviction> {
    keptBytes = 0;
    return objects.evict(signal, await hashesInIntents(intentsDirectory));
  }

  return {
    async commit(planned, commitOptions) {
      const { signal } = commitOptions;
      if (isEmptyChangeSet(planned.changeSet)) return planned.changeSet;
      const committed = await withLock(lockName, () => commitLocked(planned, commitOptions), signal);
      keptBytes += replacedBytes(committed);
      if (keptBytes > TIDY_EVERY_BYTES) {
        await tidy(signal).catch((error: unknown) =>
          options.log.error('The store could not be tidied', error),
        );
      }
      return committed;
    },
    planUndo: (changeSet, signal) =>
      planUndo(changeSet, { id: options.ids.next(), files, objects, show: workspace.show, signal }),
    async recover(signal) {
      await objects.sweep();
      return (await intents.isEmpty()) ? [] : withLock(lockName, recoverAll, signal);
    },
    tidy,
  };
}

const TIDY_EVERY_BYTES = 64 * 1024 * 1024;
const LARGEST_COMPARED_BYTES = 256 * 1024;
const MOST_COMPARED = 64;

function temporariesOf({ id, changes }: ChangeSet): Record<string, string> {
  return Object.fromEntries(changes.map(({ path }, index) => [path, `.toolwright-${id}-${index}.tmp`]));
}

/** So that undo can show what others did to a file since. */
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

/** A file that refused its change because someone else was faster has said so already. */
function withoutRefused(left: LeftAlone, error: unknown, last: string | undefined): LeftAlone {
  if (!isToolError(error) || error.code !== 'conflict') return left;
  return { ...left, foreign: left.foreign.filter((path) => path !== last) };
}

function failure(error: unknown, { foreign, failed }: LeftAlone, show: (path: string) => string): unknown {
  if (foreign.length + failed.length === 0) return error;
  const lines = [
    ...foreign.map((path) => `${show(path)} was changed by someone else meanwhile and left alone`),
    ...failed.map(({ path, reason }) => `${show(path)} could not be taken back (${reason})`),
  ];
  return new ToolError(
    'failed',
    `The change failed half-way: ${messageOf(error)} It was taken back, except: ${lines.join('; ')}. Look at these files before going on.`,
    { cause: error },
  );
}
