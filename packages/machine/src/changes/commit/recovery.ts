import { dirname, join } from 'node:path';
import { sha256OfText } from '../../base/digest/sha256.js';
import { messageOf } from '../../base/errors.js';
import { type JsonObject, jsonObjectIn } from '../../base/json.js';
import type { Files } from '../../host/files/files.js';
import type { Log } from '../../host/host.js';
import type { BeforeImages } from '../../host/objects/before-images.js';
import {
  addLine,
  makePrivateFolder,
  namesIn,
  readText,
  removeFile,
  startFile,
  syncFile,
  syncFolder,
} from '../../host/objects/image-file.js';
import { type ChangeSet, sameState, stateAfter, stateBefore, summarize } from '../change-set.js';
import { type LeftAlone, takeBack } from './apply.js';
import { presentState } from './prepare.js';

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

interface RecoverAllOptions extends RecoveryOptions {
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

/** Deals with every item, even when some of them fail. */
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

/** The plan of a commit, on disk before it begins: enough to take it back or finish it after a crash. */
export interface Intent {
  v: 1;
  changeSet: ChangeSet;
  /** Every change was made, `changeSet` says how; only the record may be missing. */
  applied: boolean;
  /** For each path the name of the temporary file that may lie beside it. */
  temporaries: Record<string, string>;
  /** The asking session and call, for whoever records a commit that was finished after a crash. */
  origin: JsonObject;
}

/** An intent found on disk. */
interface PendingIntent extends Intent {
  /** Paths that were being overwritten in place and may be torn. */
  inPlace: string[];
}

interface PendingIntents {
  found: PendingIntent[];
  /** Written by a newer version, or damaged: left for whoever can read them. */
  unreadable: string[];
}

export interface Intents {
  /** Writes an intent. Once it returns, the death of this process can't undo it. An applied intent replaces the one before. */
  write(intent: Intent): Promise<void>;
  /** Flushes the intent. Once it returns, a power cut can't undo it either. */
  makeLasting(intent: Intent): Promise<void>;
  /** Adds to a written intent that a path is going to be overwritten in place. */
  noteInPlace(intent: Intent, path: string): Promise<void>;
  remove(intent: Intent): Promise<void>;
  /** Makes an applied intent one that is to be taken back. */
  withdraw(intent: Intent): Promise<void>;
  /** A quick look without the lock. */
  isEmpty(): Promise<boolean>;
  /** Lists the intents on disk. Called under the workspace's lock: then each one found belongs to a commit that died. */
  pending(): Promise<PendingIntents>;
}

const APPLIED = '.applied';

/**
 * True for the replacement of one file and nothing else: whether it was carried out can be seen from the file, and nothing is known
 * afterwards that the intent did not say.
 */
export function isOneStep({ changes, directories, removedDirectories }: ChangeSet): boolean {
  const [change] = changes;
  return (
    changes.length === 1 &&
    directories.length + removedDirectories.length === 0 &&
    change?.kind === 'modify' &&
    'hash' in change.before &&
    change.after.mode !== undefined
  );
}

/** For files that end with this process: there is nothing to deal with after its death. */
const noIntents: Intents = {
  write: async () => undefined,
  makeLasting: async () => undefined,
  noteInPlace: async () => undefined,
  remove: async () => undefined,
  withdraw: async () => undefined,
  isEmpty: async () => true,
  pending: async () => ({ found: [], unreadable: [] }),
};

/** Keeps a folder per workspace, so that the holder of its lock knows whose intents these are. */
export function createIntents(
  directory: string,
  workspaceDirectory: string,
  { lasting = true }: { lasting?: boolean | undefined } = {},
): Intents {
  if (!lasting) return noIntents;
  const folder = join(directory, workspaceKey(workspaceDirectory));
  const nameOf = ({ changeSet, applied }: Intent) => join(folder, changeSet.id + (applied ? APPLIED : ''));
  return {
    async write(intent) {
      await makePrivateFolder(folder);
      await startFile(nameOf(intent), JSON.stringify(intent));
    },
    async makeLasting(intent) {
      await syncFile(nameOf(intent));
      await syncFolder(folder);
    },
    noteInPlace: (intent, path) => addLine(nameOf(intent), JSON.stringify({ inPlace: path })),
    async remove(intent) {
      // The first before the second: alone, the first would have the commit taken back.
      await removeFile(nameOf({ ...intent, applied: false }));
      await removeFile(nameOf({ ...intent, applied: true }));
    },
    async withdraw(intent) {
      await removeFile(nameOf({ ...intent, applied: true }));
      await syncFolder(folder);
    },
    isEmpty: async () => (await namesIn(folder)).length === 0,
    pending: () => readPending(folder),
  };
}

/** Short name of a workspace, for its lock and its folder of intents. */
function workspaceKey(directory: string): string {
  return sha256OfText(directory).slice(0, 16);
}

/** Names the lock that everybody holds who changes files of the workspace. */
export function workspaceLock(directory: string): string {
  return `changes-${workspaceKey(directory)}`;
}

/** Content that unfinished commits of any workspace need in order to be taken back. */
export async function hashesInIntents(directory: string): Promise<Set<string>> {
  const hashes = new Set<string>();
  for (const workspace of await namesIn(directory)) {
    for (const name of await namesIn(join(directory, workspace))) {
      const text = await readText(join(directory, workspace, name)).catch(() => '');
      for (const [hash] of text.matchAll(/\b[0-9a-f]{64}\b/g)) hashes.add(hash);
    }
  }
  return hashes;
}

async function readPending(folder: string): Promise<PendingIntents> {
  const intents = new Map<string, PendingIntent>();
  const unreadable: string[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    // A line without its end was cut off while it was written: what it announces had not begun.
    const [first, ...notes] = (await readText(path)).split('\n').slice(0, -1);
    if (first === undefined) {
      await removeFile(path);
      continue;
    }
    const intent = parseIntent(first);
    if (intent === null) unreadable.push(path);
    else if (!intents.get(intent.changeSet.id)?.applied) {
      intents.set(intent.changeSet.id, { ...intent, inPlace: notes.flatMap(parseNote) });
    }
  }
  return { found: [...intents.values()], unreadable };
}

function parseIntent(line: string): Intent | null {
  const value = jsonObjectIn(line);
  return value?.['v'] === 1 ? (value as unknown as Intent) : null;
}

function parseNote(line: string): string[] {
  const path = jsonObjectIn(line)?.['inPlace'];
  return typeof path === 'string' ? [path] : [];
}
