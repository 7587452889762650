import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ChangeSet, PlannedChanges } from '@toolwright/machine/changes/change-set.js';
import type { SeenFiles } from '@toolwright/machine/changes/seen-files.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Jobs } from '@toolwright/machine/host/jobs/jobs.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Profile, Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { OutsideParams } from './outside/outside-params.js';

/**
 * How a command is to be run. `proven`: it only reads, at once. `read-only-mount`: it sees a workspace that it can't
 * change. `ask-first`: after a question. `staged`: apart from the workspace, and the question is about what it changed.
 */
export type Manner = 'proven' | 'read-only-mount' | 'ask-first' | 'staged';

/** See `Profile`. */
type Protection = Pick<Profile, 'protectedPaths' | 'protectedIfThere'>;

export type ShellHost = Pick<Host, 'workspace' | 'ids' | 'clock'>;

/** What the shell tool stands on, beside the host. */
export interface ShellParts {
  processes: Processes;
  sandbox: Sandbox;
  staged: StagedRuns;
  jobs: Jobs;
  /** The person's; commands see a part of it. */
  environment: Environment;
  /** Names of variables that commands may see besides the usual ones; `NAME*` for a prefix. */
  passedNames: readonly string[];
  /** Where a command with network may go; empty: anywhere. */
  networkHosts: readonly string[];
  /** Settings and state of Toolwright, after links: nothing that a command may ever reach. */
  ownPlaces: readonly string[];
  /** Whether the person typed this command themselves: it runs with their rights, outside the sandbox. */
  isOwn(command: string): boolean;
  /** What mode and rules say of a command with these effects. */
  manner(effects: readonly Effect[]): Manner;
  /** Paths that are kept without a question because git ignores them, as long as the changes are not committed. */
  ignoredChanges(changeSet: ChangeSet): Promise<ReadonlySet<string>>;
  /** Why a change that nobody was shown is not kept, or null. */
  refusal(effects: readonly Effect[], change: Effect): string | null;
  /** What the rules keep from a command that names these paths. */
  hiddenPaths(named: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Called before a command that nothing confines: it may give files that rules deny another name. */
  ranUnconfined(): void;
  /** What secret a path in the folders to work in holds, or null: a command sees it only when it names it. */
  secretReason(path: string): string | null;
  /** What is not to be changed by a command whose changes can't be looked at before they are kept. */
  protectedPaths(effects?: readonly Effect[]): Promise<Protection>;
  /** After this time a command that only reads and has no limit of its own becomes a job. */
  foregroundMs: number;
  /** Stands for /tmp in every command of this session. */
  temporaryFolder(): Promise<string>;
  /** Carries out a part of what a command changed. */
  commit(planned: PlannedChanges, signal: AbortSignal): Promise<ChangeSet>;
  /** Takes back what was done already; why that can't be, or null. */
  takeBack(done: ChangeSet): Promise<string | null>;
  /** Called with every job: from now on there is something for the jobs tool. */
  jobStarted(): void;
  seen?: SeenFiles;
}

export type ShellParams = {
  command: string;
  description?: string;
  directory?: string;
  timeout?: number;
  is_background?: boolean;
  network?: boolean;
  outside?: OutsideParams;
};
