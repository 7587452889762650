import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Jobs } from '@toolwright/machine/host/jobs/jobs.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Confinement } from '../programs/run-confined.js';
import type { SeenFiles } from '../text-change/seen-files.js';
import type { Route } from './route.js';

export type ShellHost = Pick<Host, 'workspace' | 'ids' | 'clock'>;

/** Everything the shell tool needs beside the host. */
export interface ShellNeeds extends Confinement {
  processes: Processes;
  staged: StagedRuns;
  jobs: Jobs;
  permission: CommandPermission;
  changes: CommandChanges;
  /** Settings and state of Toolwright, after links; no command may ever reach them. */
  ownPlaces: readonly string[];
  /** A command that only reads and has no limit of its own becomes a job after this time. */
  foregroundMs: number;
  /** Gives the folder that stands for /tmp in every command of this session. */
  temporaryFolder(): Promise<string>;
  /** Called for every job: from now on the jobs tool has something to show. */
  jobStarted(): void;
}

/** Decisions of permission about commands. */
interface CommandPermission {
  route(effects: readonly Effect[], signal: AbortSignal): Promise<Route>;
  /** Why a change that the user did not see before they agreed to the command is not kept, or null. */
  refusalOfUnseenChange(effects: readonly Effect[], change: Effect): string | null;
  /** The kind of secret at a path in the roots, or null; a command sees it only when it names it. */
  secretReason(path: string): string | null;
  /** Called before a command that nothing confines: it may give files that rules deny another name. */
  ranUnconfined(): void;
}

/** Ways to keep a command's changes and to take them back. */
interface CommandChanges {
  /** Paths that are kept without a question because git ignores them; to be asked before the changes are committed. */
  ignored(changeSet: ChangeSet): Promise<ReadonlySet<string>>;
  /** Carries out some of the changes. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<ChangeSet>;
  /** Takes back changes that were made already; gives the reason when that can't be done. */
  takeBack(done: ChangeSet): Promise<string | null>;
  seen?: SeenFiles;
}
