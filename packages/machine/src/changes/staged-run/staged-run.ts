import type { FileDiff } from '../../base/content.js';
import type { PathPolicy } from '../../host/files/denied-paths.js';
import type { Files } from '../../host/files/files.js';
import type { Clock, Ids, Log } from '../../host/host.js';
import type { BeforeImages, WithLock } from '../../host/objects/before-images.js';
import type { PathGuard } from '../../host/places/path-guard.js';
import type { Ended, Launch, Processes, RunOptions } from '../../host/processes/processes.js';
import type { Confined, Profile, Sandbox } from '../../host/sandbox/sandbox.js';
import type { SnapshotLimits } from '../../host/staging/snapshot.js';
import type { View } from '../../host/staging/view.js';
import type { StateFolder } from '../../host/state/state-folder.js';
import type { Workspace } from '../../host/workspace.js';
import type { ChangeSet, FileChange, PlannedChanges } from '../change-set.js';
import type { Changes, CommitOptions } from '../commit.js';

/** The answer whether commands can run staged here; `why` is a sentence for the user. */
export type Staging = { possible: true } | { possible: false; why: string };

/** A path of the change set that deserves a second look. */
export interface PathWarning {
  path: string;
  why: string;
  /** A link to a place outside the folders to work in. */
  leaves?: true;
}

/** Something the command left that is not part of the change set and never will be. */
export interface Refused {
  path: string;
  why: string;
}

export interface StagedRunOptions extends RunOptions {
  /** The sandbox that the command is put into; it is started inside the overlay. */
  confinement?: SandboxUse | undefined;
  /** Changes made until a cancellation are found, too, and can be kept. */
  keepsCancelled?: boolean;
  /** Called before a plain copy is made because no overlay can be mounted; the sentence names the cost. */
  onCopy?(sentence: string): void;
}

export interface WatchedRunOptions extends StagedRunOptions, Pick<CommitOptions, 'origin'> {
  /** Bounds on the copies made beforehand. */
  limits?: SnapshotLimits;
}

/** A sandbox, and what it leaves open to one command. */
export interface SandboxUse {
  sandbox: Pick<Sandbox, 'confine'>;
  profile: Profile;
}

/** A command that ran staged: the workspace is as it was, and nothing is mounted any more. */
export interface StagedRun {
  ended: Ended;
  /** Knows what the sandbox refused and what did not last; null for a command that no sandbox was asked for. */
  confined: Confined | null;
  /** Empty when nothing changed: then there is nothing to ask. Deletions stand first. */
  planned: PlannedChanges;
  flags: PathWarning[];
  refused: Refused[];
  /**
   * Why its changes can't be kept, as a sentence, when they can't: it was cancelled, the disk ran full, someone else
   * changed the same files while it ran. Then they are dropped already, `planned` is empty, and there is nothing to ask.
   */
  notKept: string | null;
  /** Effects of staging on the command itself, in sentences for the model and the user. */
  notes: string[];
  /**
   * Commits all of it or nothing, or just the given part, and drops the rest. A file that others changed meanwhile is a `conflict`, whose
   * message shows what they did.
   */
  keep(options: CommitOptions & { part?: PlannedChanges }): Promise<ChangeSet>;
  /** The content that a change of a file replaces; null when it is not known any more. */
  replacedContent(change: FileChange): Promise<Uint8Array | null>;
  /** Removes what the run left behind. May be called more than once, after `keep` too. */
  drop(): Promise<void>;
}

/** A command that ran in the workspace itself, where staging is not possible. */
export interface WatchedRun {
  ended: Ended;
  /** See `StagedRun`. */
  confined: Confined | null;
  /** The command's changes, already made and recorded for undo; null when nothing changed. */
  changeSet: ChangeSet | null;
  diff: FileDiff;
  flags: PathWarning[];
  /** Changes that undo can't take back, and why. */
  notUndoable: Refused[];
  notes: string[];
}

export interface StagedRuns {
  /** Tried once; what may change from call to call, such as mounts below the workspace, is looked at each time. */
  possible(signal: AbortSignal): Promise<Staging>;
  /**
   * The way to an overlay that works here; throws a `ToolError` where none does. Unless the way is known, `mount` is called for
   * each until it works, and spares the trial.
   */
  wayToOverlay(signal: AbortSignal, mount?: (way: number) => Promise<void>): Promise<number>;
  /**
   * Runs a launch over an overlay of every writable root, as the only writer of the workspace; nothing is mounted any
   * more when this returns. An abort during the command gives what it printed and did so far, as `Processes.run`
   * does. Throws a `ToolError` when staging is not possible or the disk is full.
   */
  run(launch: Launch, options: StagedRunOptions): Promise<StagedRun>;
  /** The fallback: runs directly, with copies made beforehand of what the command could change, so that undo works. */
  runWatched(launch: Launch, options: WatchedRunOptions): Promise<WatchedRun>;
  /** Removes what killed processes left; the first run does it too. Returns sentences to show the user. */
  sweep(): Promise<string[]>;
}

export interface StagedRunsNeeds {
  processes: Pick<Processes, 'run'>;
  changes: Pick<Changes, 'commit' | 'recordDone'>;
  objects: BeforeImages;
  files: Files;
  workspace: Pick<Workspace, 'directory' | 'roots' | 'show'> & Partial<Pick<Workspace, 'place'>>;
  state: Pick<StateFolder, 'path' | 'pathOf' | 'make'>;
  withLock: WithLock;
  ids: Pick<Ids, 'next'>;
  clock: Pick<Clock, 'now'>;
  log: Pick<Log, 'error'>;
  /** Has the view that commands work on at that moment; null: the workspace itself. */
  whereabouts?: { readonly view: View | null };
  /** Most files a command may touch before nothing of it can be kept; default: 200,000. */
  mostPlaces?: number;
  /** Knows the paths that are protected; without it none is. */
  guard?: Pick<PathGuard, 'protectedReason'>;
  /** The deny rules: content that they forbid to read is not shown. */
  refusal?: PathPolicy;
}
