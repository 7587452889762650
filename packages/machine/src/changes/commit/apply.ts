import { dirname } from 'node:path';
import { isNodeError, isToolError, messageOf, ToolError } from '../../base/errors.js';
import { foreignText } from '../../base/sentences/foreign-text.js';
import type { ChangeOptions, Expected, Files } from '../../host/files/files.js';
import type { BeforeImages, BlobSource } from '../../host/objects/before-images.js';
import {
  type ChangeSet,
  type DirectoryVersion,
  type EntryState,
  type FileChange,
  type FileState,
  invert,
  sameState,
  stateAfter,
  stateBefore,
} from '../change-set.js';
import { contentOf, isExact, isFolder, presentState, withFoldersGone } from './prepare.js';

interface ApplyOptions {
  files: Files;
  /** Source of the new bytes. */
  blobs: BlobSource;
  /** Store for the replaced bytes; without it they are lost. */
  keepIn?: BeforeImages;
  /** For each path the name of its temporary file. */
  temporaries: Readonly<Record<string, string>>;
  /** Awaited before a file is replaced or overwritten. */
  waitFor?: Promise<void>;
  /** Awaited before a file is overwritten in place, which a crash can tear. */
  beforeInPlace?(path: string, hash: string): Promise<void>;
  /** Called before each file is changed. */
  onAttempt?(path: string): void;
  signal?: AbortSignal;
}

/** Changes that were left as they are. */
export interface LeftAlone {
  /** Changed by someone else since: neither what the commit found nor what it left. */
  foreign: string[];
  failed: { path: string; reason: string }[];
}

type EntryStep = Extract<Step, { kind: 'entry' }>;

/**
 * Carries a change set out, each step only if the file is what the set expects. Returns the set as it came to
 * be: with the modes and the folders that were really made. What it throws half-way is for `takeBack`.
 */
export async function applyChanges(changeSet: ChangeSet, options: ApplyOptions): Promise<ChangeSet> {
  const { files, signal } = options;
  const made = new Map<string, DirectoryVersion>();
  const removed: DirectoryVersion[] = [];
  const modes = new Map<string, number>();
  const modesBefore = new Map(changeSet.removedDirectories.map(({ path, mode }) => [path, mode]));
  const make = async (path: string) => {
    if (!(await isExact(files, path))) throw ledElsewhere(path);
    for (const directory of await files.makeDirectory(path)) made.set(directory, { path: directory });
  };
  const change = async (step: EntryStep) => {
    options.onAttempt?.(step.path);
    const mode = await changeOrFind(step, options);
    if (mode !== undefined) modes.set(step.path, mode);
  };
  const steps = scheduleOf(changeSet);
  for (let at = 0; at < steps.length; at += 1) {
    signal?.throwIfAborted();
    const creations = creationsFrom(steps, at);
    if (creations.length > 1) {
      for (const { path } of creations) await make(dirname(path));
      await allDone(creations.map(change));
      at += creations.length - 1;
      continue;
    }
    const step = steps[at]!;
    if (step.kind === 'make-directory') await make(step.path);
    else if (step.kind === 'open-directory') await openDirectory(files, step);
    else if (step.kind === 'remove-directory') {
      const mode = await removeDirectory(files, step.path);
      if (mode !== null) removed.unshift({ path: step.path, mode: modesBefore.get(step.path) ?? mode });
    } else if (step.kind === 'directory-mode') {
      if (made.has(step.path)) await files.setMode(step.path, step.mode, { kind: 'directory' }, exactly);
    } else {
      if (step.from.kind === 'absent') await make(dirname(step.path));
      await change(step);
    }
  }
  for (const directory of made.values()) {
    const stat = await files.lstat(directory.path);
    if (stat) directory.mode = stat.mode;
  }
  await flushFolders(changeSet, files);
  return {
    ...changeSet,
    changes: changeSet.changes.map((change) => withMode(change, modes.get(change.path))),
    directories: [...made.values()].sort((left, right) => left.path.length - right.path.length),
    removedDirectories: removed,
  };
}

/** The number of files written at a time; each holds a few descriptors. */
const AT_A_TIME = 8;

/** The new files that come next. They are written side by side: the disk flushes several as fast as one. */
function creationsFrom(steps: readonly Step[], at: number): EntryStep[] {
  const creations: EntryStep[] = [];
  for (const step of steps.slice(at, at + AT_A_TIME)) {
    if (step.kind !== 'entry' || step.from.kind !== 'absent' || step.to.kind !== 'file') break;
    creations.push(step);
  }
  return creations;
}

/** Unlike `Promise.all` it waits for the others when one fails: nothing may still be at work when all is taken back. */
async function allDone(work: Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

interface TakeBackOptions extends ApplyOptions {
  /** Paths that were being overwritten in place. */
  inPlace: ReadonlySet<string>;
  /** The files whose turn had come; all of them when that is not known. */
  attempted?: ReadonlySet<string>;
}

/**
 * Takes back whatever of a change set was carried out, however far it came. A file that is neither what the
 * set found nor what it left belongs to someone else by now and is not touched; only one that was being
 * overwritten in place may be a mixture of the two.
 */
export async function takeBack(changeSet: ChangeSet, options: TakeBackOptions): Promise<LeftAlone> {
  const left: LeftAlone = { foreign: [], failed: [] };
  for (const step of scheduleOf(invert(changeSet, changeSet.id))) {
    if (step.kind === 'entry' && options.attempted?.has(step.path) === false) continue;
    try {
      if (!(await takeStepBack(step, changeSet, options))) left.foreign.push(step.path);
    } catch (error) {
      left.failed.push({ path: step.path, reason: messageOf(error) });
    }
  }
  await flushFolders(changeSet, options.files);
  return left;
}

/** Each folder is flushed once, not once per file: the intent covers what is lost in between. */
async function flushFolders({ changes }: ChangeSet, files: Files): Promise<void> {
  for (const folder of new Set(changes.map(({ path }) => dirname(path)))) {
    if (await isExact(files, folder)) await files.flush(folder);
  }
}

/** False when the file is someone else's. */
async function takeStepBack(step: Step, changeSet: ChangeSet, options: TakeBackOptions): Promise<boolean> {
  const { files } = options;
  if (step.kind === 'make-directory') {
    if (!(await isExact(files, step.path))) return false;
    await files.makeDirectory(step.path);
  } else if (step.kind === 'open-directory') await openDirectory(files, step);
  else if (step.kind === 'remove-directory') await removeDirectory(files, step.path);
  else if (step.kind === 'directory-mode') {
    await files.setMode(step.path, step.mode, { kind: 'directory' }, exactly);
  } else {
    const found = await presentState(files, step.path);
    const present = withFoldersGone(found, step.path, changeSet.removedDirectories);
    if (sameState(step.to, present)) return true;
    if (sameState(step.from, present)) await changeEntry(step, options);
    else if (options.inPlace.has(step.path) && (await isTornEntry(step, present, options))) {
      await changeEntry({ ...step, from: present }, options);
    } else return false;
  }
  return true;
}

async function isTornEntry(step: EntryStep, present: EntryState, options: ApplyOptions): Promise<boolean> {
  const { from, to, path } = step;
  if (from.kind !== 'file' || to.kind !== 'file' || present.kind !== 'file') return false;
  const { bytes } = await options.files.read(path, { maxBytes: Number.MAX_SAFE_INTEGER });
  return isTorn(bytes, await options.blobs.read(to.hash), await options.blobs.read(from.hash));
}

async function openDirectory(files: Files, { path, mode }: { path: string; mode: number }): Promise<void> {
  if (await isFolder(files, path)) await files.setMode(path, mode, { kind: 'directory' }, exactly);
}

/** Removes an empty folder and gives its mode; null when there was nothing to remove. */
async function removeDirectory(files: Files, path: string): Promise<number | null> {
  const state = await presentState(files, path);
  if (state.kind !== 'directory') return null;
  return (await files.removeEmptyDirectory(path)) ? state.mode : null;
}

function ledElsewhere(path: string): ToolError {
  return new ToolError(
    'conflict',
    `${foreignText(path)} leads elsewhere through a link that was put there meanwhile. Nothing was changed. Look at it again, then repeat the change.`,
  );
}

const exactly = { exactly: true };

/** A second name of a file that this set has already overwritten in place is found changed; that is as wanted. */
async function changeOrFind(step: EntryStep, options: ApplyOptions): Promise<number | undefined> {
  try {
    return await changeEntry(step, options);
  } catch (error) {
    if (!isToolError(error) || error.code !== 'conflict' || step.to.kind !== 'file') throw error;
    const present = await presentState(options.files, step.path);
    const kept = step.from.kind === 'file' && (await options.keepIn?.has(step.from.hash));
    if (!kept || present.kind !== 'file' || !sameState(step.to, present)) throw error;
    return present.mode;
  }
}

/** Takes an entry from the state it must have to the one it shall have. Returns the mode of a file that was written. */
async function changeEntry(step: EntryStep, options: ApplyOptions): Promise<number | undefined> {
  const { files } = options;
  const { path, from, to } = step;
  const expect = expected(from);
  switch (to.kind) {
    case 'directory':
      await files.setMode(path, to.mode, expect, exactly);
      return undefined;
    case 'absent':
      await keeping(step, options, (change) => files.remove(path, expect, change));
      return undefined;
    case 'symlink':
      await keeping(step, options, (change) => files.makeSymlink(path, to.target, expect, change));
      return undefined;
    case 'file':
      return from.kind === 'file' && from.hash === to.hash
        ? changeMode(files, step, to)
        : writeFile(step, to, options);
    case 'other':
      throw new Error(`a change can't make a device: ${path}`);
  }
}

async function changeMode(
  files: Files,
  { path, from }: EntryStep,
  to: FileState,
): Promise<number | undefined> {
  if (to.mode !== undefined) await files.setMode(path, to.mode, expected(from), exactly);
  return to.mode;
}

async function writeFile(step: EntryStep, to: FileState, options: ApplyOptions): Promise<number> {
  const bytes = await options.blobs.read(to.hash);
  const stat = await keeping(step, options, (change) =>
    options.files.write(step.path, bytes, {
      ...change,
      hash: to.hash,
      expect: expected(step.from),
      waitFor: options.waitFor,
      beforeInPlace: async () => options.beforeInPlace?.(step.path, to.hash),
      mode: to.mode,
    }),
  );
  return stat.mode;
}

/** Carries out a change that may replace a file, so that its present content stays in the store. */
async function keeping<Result>(
  { path, from }: EntryStep,
  { files, keepIn, temporaries }: ApplyOptions,
  change: (options: ChangeOptions) => Promise<Result>,
): Promise<Result> {
  const temporaryName = temporaries[path];
  const options: ChangeOptions = {
    exactly: true,
    flush: false,
    temporaryName,
  };
  if (!keepIn || from.kind !== 'file' || (await keepIn.has(from.hash))) return change(options);
  if (!(await isLinkable(files, path, keepIn))) {
    await keepIn.save(from.hash, contentOf(files, path));
    return change(options);
  }
  try {
    return await change({ ...options, saveReplaced: await keepIn.linkName(from.hash) });
  } catch (error) {
    // Another process has kept the same content in this very moment.
    const isTaken = error instanceof Error && isNodeError(error.cause, 'EEXIST');
    if (!isTaken || !(await keepIn.has(from.hash))) throw error;
    return change(options);
  }
}

async function isLinkable(files: Files, path: string, keepIn: BeforeImages): Promise<boolean> {
  const stat = await files.lstat(path);
  return stat?.links === 1 && stat.device === (await keepIn.device());
}

function expected(state: EntryState): Expected {
  if (state.kind === 'other') throw new Error('a change never expects a device');
  if (state.kind !== 'file') return state;
  return { kind: 'file', hash: state.hash, mode: state.mode };
}

function withMode(change: FileChange, mode: number | undefined): FileChange {
  if (mode === undefined || (change.kind !== 'create' && change.kind !== 'modify')) return change;
  return { ...change, after: { ...change.after, mode } };
}

/** A step of a commit. */
type Step =
  | { kind: 'entry'; path: string; from: EntryState; to: EntryState }
  | { kind: 'make-directory'; path: string }
  | { kind: 'remove-directory'; path: string }
  /** Opens a directory that will be removed to its owner, who must be able to empty it. */
  | { kind: 'open-directory'; path: string; mode: number }
  /** Sets the mode of a new directory. Comes last, because the mode may keep its owner from writing to it. */
  | { kind: 'directory-mode'; path: string; mode: number };

const OWNER_MAY_WRITE = 0o200;
const OWNER_MAY_ALL = 0o700;

/**
 * The order in which a change set can be carried out: room is made before it is taken (a file may give way to
 * a folder of its name, and the other way round), folders are there before their files, and a folder is
 * writable for as long as something happens inside.
 */
export function scheduleOf(changeSet: ChangeSet): Step[] {
  const entries = changeSet.changes.map(
    (change): Extract<Step, { kind: 'entry' }> => ({
      kind: 'entry',
      path: change.path,
      from: stateBefore(change),
      to: stateAfter(change),
    }),
  );
  const opened = entries.filter(({ to }) => to.kind === 'directory' && (to.mode & OWNER_MAY_WRITE) !== 0);
  const closed = entries.filter(({ to }) => to.kind === 'directory' && (to.mode & OWNER_MAY_WRITE) === 0);
  const made = changeSet.directories;
  return [
    ...opened.sort(outermostFirst),
    ...changeSet.removedDirectories.flatMap(opening).sort(outermostFirst),
    ...entries.filter(({ to }) => to.kind === 'absent'),
    ...changeSet.removedDirectories
      .map(({ path }): Step => ({ kind: 'remove-directory', path }))
      .sort(innermostFirst),
    ...made.map(({ path }): Step => ({ kind: 'make-directory', path })).sort(outermostFirst),
    ...entries.filter(({ to }) => to.kind === 'file' || to.kind === 'symlink'),
    ...made
      .flatMap(({ path, mode }): Step[] =>
        mode === undefined ? [] : [{ kind: 'directory-mode', path, mode }],
      )
      .sort(innermostFirst),
    ...closed.sort(innermostFirst),
  ];
}

function opening({ path, mode = OWNER_MAY_ALL }: DirectoryVersion): Step[] {
  const isOpen = (mode & OWNER_MAY_ALL) === OWNER_MAY_ALL;
  return isOpen ? [] : [{ kind: 'open-directory', path, mode: mode | OWNER_MAY_ALL }];
}

function outermostFirst(left: { path: string }, right: { path: string }): number {
  return left.path.length - right.path.length;
}

function innermostFirst(left: { path: string }, right: { path: string }): number {
  return right.path.length - left.path.length;
}

/**
 * True when `found` can be what a crash left of overwriting `before` by `after` in place: at every position a
 * byte of one of the two, and no longer than the longer one. Holds after any number of crashes, whatever the
 * order in which the system wrote the pages.
 */
export function isTorn(found: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  if (found.length < Math.min(before.length, after.length)) return false;
  if (found.length > Math.max(before.length, after.length)) return false;
  return found.every((byte, index) => byte === before[index] || byte === after[index]);
}
