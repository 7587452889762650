import type { Effect } from '@toolwright/machine/base/effect.js';
import type { CommandChanges } from '@toolwright/machine/changes/command-changes.js';
import type { PathWarning, StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import type { Host } from '@toolwright/machine/host/host.js';
import type { Jobs } from '@toolwright/machine/host/jobs/jobs.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { SandboxState } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { ShellAnalysis } from '@toolwright/machine/shell/analysis.js';
import type { Confinement } from '../programs/run-confined.js';
import type { SeenFiles } from '../text-change/seen-files.js';
import type { OutsideParams } from './outside/outside-params.js';
import type { ResolvedOutside } from './outside/resolve-outside.js';

export type ShellParams = {
  command: string;
  description?: string;
  directory?: string;
  timeout?: number;
  is_background?: boolean;
  network?: boolean;
  outside?: OutsideParams;
};

/** Everything that is known of a command before it runs. */
export interface CommandFacts {
  analysis: ShellAnalysis;
  /** Absolute, after links. */
  directory: string;
  sandbox: SandboxState;
  /** The user typed the command: it runs with their rights, outside the sandbox. */
  isOwn: boolean;
  /** Places and hosts beyond the sandbox that the call asks for. */
  outside: ResolvedOutside;
  effects: Effect[];
  /** Secret places that the command names or could reach. */
  secrets: PathWarning[];
}

/** A call of the shell tool on its way from question to report. */
export interface ShellCall {
  params: ShellParams;
  facts: CommandFacts;
  route: Route;
  host: ShellHost;
  needs: ShellNeeds;
}

export const DEFAULT_LIMIT_MS = 600_000;

/**
 * The route of a command: how it runs and when the user is asked. Permission decides it once per call (`permission.routeOf`, in `permission/route.ts`);
 * the question, the run, the report and `explain` switch on it.
 */
export type Route =
  /** Proven to only read: no question, a read-only view of the workspace, and bash gets the line as it was understood. */
  | { kind: 'direct' }
  /** Plan mode: no question, and a view of the workspace that the command can't change. */
  | { kind: 'read-only' }
  /** The question comes before the command runs. */
  | ({ kind: 'ask-first' } & AfterYes)
  /** The command runs on a copy, and the question is about what it changed there. */
  | { kind: 'staged' }
  /** The question comes before the command, which goes on beside the conversation. */
  | { kind: 'job' };

/** The way to run a command once the user has agreed to it; `why` says why it can't run on a copy. */
type AfterYes = { runs: 'read-only' } | { runs: 'staged' } | { runs: 'in-workspace'; why: string };

export type ShellHost = Pick<Host, 'workspace' | 'ids' | 'clock'>;

/** Everything the shell tool needs beside the host. */
export interface ShellNeeds extends Confinement {
  processes: Processes;
  staged: StagedRuns;
  jobs: Jobs;
  permission: CommandPermission;
  changes: CommandChanges & {
    seen?: SeenFiles | undefined;
    /** Kept changes stay apart while there is a view that gathers nothing; null where that is never said. */
    whereabouts: { readonly view: object | null; readonly gathers: boolean } | null;
  };
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
