import { dirname, join } from 'node:path';
import { messageOf } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { Files } from '../../host/files/files.js';
import type { Log } from '../../host/host.js';
import type { BeforeImages } from '../../host/objects/before-images.js';
import { type ChangeSet, sameState, stateAfter, stateBefore, summarize } from '../change-set.js';
import { type LeftAlone, takeBack } from './apply.js';
import { type Intent, type Intents, isOneStep, type PendingIntent } from './intents.js';
import { presentState } from './present.js';

/** The outcome of a commit that a crash had interrupted. */
export interface Recovery extends LeftAlone {
  /** `incomplete`: some files could not be taken back; it is tried again at the next start. */
  outcome: 'finished' | 'taken-back' | 'incomplete';
  changeSet: ChangeSet;
  origin: JsonObject;
}

export interface RecoveryOptions {
  files: Files;
  objects: BeforeImages;
  intents: Intents;
  /** May be called again for a change set that was recorded already. */
  record(changeSet: ChangeSet, origin: JsonObject): Promise<void>;
}

export interface RecoverAllOptions extends RecoveryOptions {
  log: Pick<Log, 'error'>;
}

/** Deals with every interrupted commit of the workspace. Under its lock only. */
export async function recoverAll(options: RecoverAllOptions): Promise<Recovery[]> {
  const { found, unreadable } = await options.intents.pending();
  for (const path of unreadable) {
    options.log.error(`An unfinished commit of another version of Toolwright was left alone: ${path}`);
  }
  const recoveries: Recovery[] = [];
  for (const intent of found) {
    recoveries.push(await recoverOne(intent, options));
  }
  return recoveries;
}

async function recoverOne(intent: PendingIntent, options: RecoveryOptions): Promise<Recovery> {
  const { changeSet, origin } = intent;
  if (intent.applied || (await isFoundApplied(intent, options))) {
    await options.record(changeSet, origin);
    await options.intents.remove(intent);
    return { outcome: 'finished', changeSet, origin, foreign: [], failed: [] };
  }
  const left = await rollBack(intent, options);
  if (left.failed.length > 0) return { outcome: 'incomplete', changeSet, origin, ...left };
  await options.intents.remove(intent);
  return { outcome: 'taken-back', changeSet, origin, ...left };
}

/** A set of one step was applied if the file has the new content; its temporary file became that file, so none is left. */
async function isFoundApplied(
  { changeSet, temporaries }: Intent,
  { files }: RecoveryOptions,
): Promise<boolean> {
  const [change] = changeSet.changes;
  if (!change || !isOneStep(changeSet)) return false;
  const temporary = temporaries[change.path];
  if (temporary !== undefined && (await files.lstat(join(dirname(change.path), temporary)))) return false;
  return sameState(stateAfter(change), await presentState(files, change.path));
}

/** Takes an unfinished commit back, its temporary files first because their names are used again. */
export async function rollBack(
  { changeSet, temporaries, inPlace }: PendingIntent,
  { files, objects, attempted }: Pick<RecoveryOptions, 'files' | 'objects'> & { attempted?: Set<string> },
): Promise<LeftAlone> {
  const temporary = Object.entries(temporaries).map(([path, name]) => join(dirname(path), name));
  const stuck = await forEach(temporary, (path) => removeTemporary(files, path));
  const left = await takeBack(changeSet, {
    files,
    blobs: objects,
    temporaries,
    inPlace: new Set(inPlace),
    attempted,
  });
  const shared = await forEach(changeSet.changes, async (change) => {
    const before = stateBefore(change);
    if (before.kind === 'file') await objects.unshare(before.hash);
  });
  return { ...left, failed: [...stuck, ...left.failed, ...shared] };
}

/** One that fails does not keep the others from being dealt with. */
async function forEach<Item extends string | { path: string }>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<LeftAlone['failed']> {
  const failed: LeftAlone['failed'] = [];
  for (const item of items) {
    const path = typeof item === 'string' ? item : item.path;
    await act(item).catch((error: unknown) => failed.push({ path, reason: messageOf(error) }));
  }
  return failed;
}

async function removeTemporary(files: Files, path: string): Promise<void> {
  const present = await presentState(files, path);
  if (present.kind === 'file' || present.kind === 'symlink') await files.remove(path, present);
}

/** A message to the user, at the start that found the interrupted commit. */
export function describeRecovery(recovery: Recovery, show: (path: string) => string): string {
  const what = `A change that was interrupted (${summarize(recovery.changeSet)})`;
  if (recovery.outcome === 'finished') return `${what} had been made completely and is kept.`;
  const lines = [
    recovery.outcome === 'taken-back'
      ? `${what} was taken back.`
      : `${what} could be taken back only in part.`,
    ...recovery.foreign.map(
      (path) => `- ${show(path)} was changed by someone else since and was left alone.`,
    ),
    ...recovery.failed.map(({ path, reason }) => `- ${show(path)}: ${reason}`),
  ];
  return lines.join('\n');
}
