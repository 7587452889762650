import type { Effect } from '@toolwright/machine/base/effect.js';
import { messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import type { ChangeSet } from '@toolwright/machine/changes/change-set.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import { openChanges } from '@toolwright/machine/changes/open-changes.js';
import type { SeenFiles } from '@toolwright/machine/changes/seen-files.js';
import { createStagedRuns } from '@toolwright/machine/changes/staged-run/create-staged-runs.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { createJobs } from '@toolwright/machine/host/jobs/create-jobs.js';
import { createTemporaryFolder } from '@toolwright/machine/host/leases/temporary-folder.js';
import type { BeforeImages } from '@toolwright/machine/host/objects/before-images.js';
import { createProcesses } from '@toolwright/machine/host/processes/create-processes.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import { createSandbox } from '@toolwright/machine/host/sandbox/create-sandbox.js';
import type { Sandbox, SandboxMode } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { type Environment, homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { afterLinks } from '@toolwright/machine/host/workspace.js';
import { type DeniedFiles, hiddenPaths } from './permission/hidden-paths.js';
import type { Permission } from './permission/permission.js';
import { placesToProtect } from './permission/places-to-protect.js';
import { type ProtectedHere, reasonToLook } from './permission/protected-paths.js';
import type { Session } from './session/session.js';
import type { ShellParts } from './tools/shell/parts.js';

/** How commands are confined. */
export interface SandboxSettings {
  mode?: SandboxMode;
  /** Variables that commands may see besides the usual ones; `NAME*` for a prefix. */
  environment?: readonly string[];
  /** Most memory of a command with all it starts: `4g`, `50%` of the machine or `none`; 50% unless told. */
  memory?: string;
  /** Where a command with network may go; anywhere when there is none. */
  networkHosts?: readonly string[];
}

/** What becomes of files that a command made and git ignores: kept without a question, or asked about like others. */
export type IgnoredFiles = 'keep' | 'ask';

export interface CommandsParts {
  host: Host;
  state: State;
  changes: Changes;
  objects: BeforeImages;
  permission: Permission;
  environment: Environment;
  sandbox: SandboxSettings;
  ignoredFiles?: IgnoredFiles;
  /** Settings and state of Toolwright. */
  ownPaths: readonly string[];
  seen?: SeenFiles;
  /** Remembers the files that rules denied, so that a renamed or copied one is known again. */
  denied: DeniedFiles;
  /** See `PermissionOptions`. */
  alsoProtected?: ProtectedHere;
  isOwnCommand?(command: string): boolean;
  jobStarted(): void;
  /** The id of the session. */
  session: string;
}

const FOREGROUND_MS = 120_000;

/** What starts programs: processes, jobs, the sandbox, runs apart from the workspace. */
export interface Commands {
  processes: Processes;
  sandbox: Sandbox;
  shell: ShellParts;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

/** Connects them; nothing is loaded before the first command. */
export function createCommands(parts: CommandsParts): Commands {
  const { host, state, changes, permission, environment, seen } = parts;
  const settings = parts.sandbox;
  const processes = createProcesses({ ...host, state, memory: settings.memory });
  const sandbox = createSandbox({ mode: settings.mode ?? 'auto', environment, state });
  const staged = createStagedRuns({
    ...parts,
    ...host,
    processes,
    withLock: state.withLock,
    flagOf: (path) => reasonToLook(path, permission),
    isHidden: permission.hides,
  });
  const jobs = createJobs({ ...host, processes, state });
  const temporary = createTemporaryFolder({ state, clock: host.clock, owner: parts.session });
  const tool = 'run_shell_command';
  const shell: ShellParts = {
    processes,
    sandbox,
    staged,
    jobs,
    environment,
    passedNames: settings.environment ?? [],
    networkHosts: settings.networkHosts ?? [],
    ownPlaces: parts.ownPaths.map(afterLinks),
    isOwn: parts.isOwnCommand ?? (() => false),
    manner: (effects) => permission.mannerOf({ tool, effects }),
    ignoredChanges: (changeSet) =>
      parts.ignoredFiles === 'ask' ? Promise.resolve(new Set()) : ignoredBefore(changeSet, host),
    refusal: (effects, change) => refusalUnseen(permission, { tool, effects }, change),
    hiddenPaths: (named, signal) => hiddenPaths({ host, permission, denied: parts.denied }, named, signal),
    ranUnconfined: () => {
      parts.denied.spread = true;
    },
    async protectedPaths(effects) {
      // Servers and tools may run other files by now.
      await permission.lookAround();
      return placesToProtect({
        roots: host.workspace.roots.filter(({ access }) => access === 'write').map(({ path }) => path),
        byRule: permission.unwritable.places,
        effects,
        home: afterLinks(homeDirectory(environment)),
        also: parts.alsoProtected?.() ?? [],
      });
    },
    secretReason: (path) => permission.secretReason(path),
    commit: (planned, signal) => changes.commit(planned, { signal }),
    takeBack: (done) => takeBack(changes, done),
    foregroundMs: FOREGROUND_MS,
    temporaryFolder: temporary.path,
    jobStarted: parts.jobStarted,
    ...(seen ? { seen } : {}),
  };
  return {
    processes,
    sandbox,
    shell,
    async close() {
      await jobs.end({ kind: 'shutdown' });
      await processes.end({ kind: 'shutdown' });
      await temporary.remove();
    },
  };
}

const SANDBOX_LIMIT_MS = 20_000;

/** Better at the start than with the first command. */
export async function requireSandbox({ sandbox }: Commands): Promise<void> {
  const state = await sandbox.state(AbortSignal.timeout(SANDBOX_LIMIT_MS));
  if (state.confined) return;
  const { requiredButMissing } = await import('@toolwright/machine/host/sandbox/unconfined.js');
  throw new SettingsError(requiredButMissing(state));
}

const TAKE_BACK_LIMIT_MS = 60_000;

/** Not with the signal of the call: a command that was cancelled has done what it did all the same. */
async function takeBack(changes: Changes, done: ChangeSet): Promise<string | null> {
  const signal = AbortSignal.timeout(TAKE_BACK_LIMIT_MS);
  try {
    const plan = await changes.planUndo(done, signal);
    if (plan.kind === 'ready') await changes.commit(plan.planned, { signal });
    return plan.kind === 'refused' ? plan.reason : null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Until the changes are committed, the rules of git in the workspace are those from before the command. */
async function ignoredBefore(
  changeSet: ChangeSet,
  { ignore, workspace }: Pick<Host, 'ignore' | 'workspace'>,
): Promise<ReadonlySet<string>> {
  const { lookAtSync } = await import('@toolwright/machine/host/state/inspect-files.js');
  const { createTrackedCheck } = await import('@toolwright/machine/host/git/git-configurations.js');
  const { ignoredChanges } = await import('@toolwright/machine/changes/staged-run/ignored-changes.js');
  return ignoredChanges(changeSet, {
    ignore,
    isTracked: createTrackedCheck(),
    exists: (path) => lookAtSync(path) !== null,
    rootOf: workspace.rootOf,
  });
}

/** The person agreed to the command before anybody knew its changes: only to what a mode, not a rule, asks about. */
function refusalUnseen(
  permission: Permission,
  { tool, effects }: { tool: string; effects: readonly Effect[] },
  change: Effect,
): string | null {
  const commands = effects.flatMap((effect): Effect[] =>
    effect.kind === 'execute' ? [{ ...effect, network: false, background: false, staged: true }] : [],
  );
  const { decision, reason, winner } = permission.decide({ tool, effects: [...commands, change] });
  if (decision === 'allow') return null;
  const isAgreedTo = decision === 'ask' && winner.kind === 'mode' && winner.class !== 'protected';
  return isAgreedTo ? null : reason;
}

/** Changes to the workspace, written into the session's journal. */
export function openSessionChanges(
  host: Host,
  state: State,
  session: Session,
): { changes: Changes; objects: BeforeImages } {
  return openChanges({
    host,
    state,
    workspace: host.workspace,
    owner: session.id,
    record: (changeSet, { undoes, by }) =>
      session.recordChanges(changeSet, textOrNone(undoes), textOrNone(by)),
  });
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
