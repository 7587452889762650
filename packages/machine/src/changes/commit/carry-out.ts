import { isNodeError, isToolError, messageOf, ToolError } from '../../base/errors.js';
import type { Log } from '../../host/host.js';
import type { BlobSource } from '../../host/objects/before-images.js';
import type { Workspace } from '../../host/workspace.js';
import { type ChangeSet, stateBefore } from '../change-set.js';
import { applyChanges, type LeftAlone } from './apply.js';
import { type Intent, type Intents, isOneStep } from './intents.js';
import { type RecoveryOptions, rollBack } from './recovery.js';

export interface CarryOutOptions extends RecoveryOptions {
  workspace: Pick<Workspace, 'show'>;
  log: Pick<Log, 'error'>;
  blobs: BlobSource;
  signal: AbortSignal;
}

/** Announces, applies, records; or takes everything back and throws. Under the workspace's lock only. */
export async function carryOut(intent: Intent, options: CarryOutOptions): Promise<ChangeSet> {
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
  // It stands: an intent that can't be removed is finished once more at the next start.
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
  let lasting: Promise<void> | undefined;
  const makeLasting = () => (lasting ??= intents.makeLasting(intent));
  // Where there is only one file to write, its new bytes and the intent go to the disk side by side.
  if (!isOneStep(intent.changeSet)) await makeLasting();
  return applyChanges(intent.changeSet, {
    files,
    beforeReplace: makeLasting,
    blobs,
    signal,
    keepIn: objects,
    temporaries: intent.temporaries,
    onAttempt: (path) => void attempted.add(path),
    async beforeInPlace(path, hash) {
      // Told from both versions, what a crash leaves can be recognised as neither's own.
      await objects.save(hash, [await blobs.read(hash)]);
      await intents.noteInPlace(intent, path);
      inPlace.push(path);
    },
  });
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
    `The change failed half-way: ${messageOf(error)} It was taken back, except: ${lines.join('; ')}. Look at these files before going on.`,
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
