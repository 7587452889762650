import { SettingsError } from '@toolwright/machine/base/errors.js';
import { createCommandChanges } from '@toolwright/machine/changes/command-changes.js';
import type { Changes } from '@toolwright/machine/changes/commit.js';
import { createStagedRuns } from '@toolwright/machine/changes/staged-run/create-staged-runs.js';
import type { StagedRuns } from '@toolwright/machine/changes/staged-run/staged-run.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Host } from '@toolwright/machine/host/host.js';
import { createJobs } from '@toolwright/machine/host/jobs/create-jobs.js';
import { createTemporaryFolder } from '@toolwright/machine/host/leases/owned-folder.js';
import type { BeforeImages } from '@toolwright/machine/host/objects/before-images.js';
import { type ProtectedHere, placesProtectedHere } from '@toolwright/machine/host/places/path-guard.js';
import { createProcesses, processesIn } from '@toolwright/machine/host/processes/create-processes.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import { everyFileOf } from '@toolwright/machine/host/ripgrep/ripgrep.js';
import { createSandbox } from '@toolwright/machine/host/sandbox/create-sandbox.js';
import type { Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import { type Environment, homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { afterLinks } from '@toolwright/machine/host/workspace.js';
import type { Whereabouts } from './apart/work-in-view.js';
import { type DeniedFiles, hiddenPaths } from './permission/hidden-paths.js';
import type { Permission } from './permission/permission.js';
import { placesToProtect } from './permission/places-to-protect.js';
import type { IgnoredFiles, SandboxSettings } from './tools/programs/command-settings.js';
import type { Confinement } from './tools/programs/run-confined.js';
import type { ShellNeeds } from './tools/shell/call.js';
import type { SeenFiles } from './tools/text-change/seen-files.js';

export interface CommandsOptions {
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
  jobStarted(): void;
  /** The id of the session. */
  session: string;
  /** See `StagedRunsNeeds`. */
  whereabouts: Readonly<Whereabouts>;
  /** See `SessionChoices`. */
  saysApart?: boolean;
}

const FOREGROUND_MS = 120_000;

/** Everything that starts programs: processes, jobs, the sandbox, staged runs. */
export interface Commands {
  processes: Processes;
  /** The same, but what they start does not enter the view of the session. */
  outside: Processes;
  /** Further ones, which go on where the session ends: whoever opens them ends them. */
  openLasting(): Processes;
  sandbox: Sandbox;
  shell: ShellNeeds;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

/** Connects them; nothing is loaded before the first command. */
export function createCommands(options: CommandsOptions): Commands {
  const { host, state, permission, environment } = options;
  const { mode = 'auto', memory } = options.sandbox;
  const { place } = host.workspace;
  const openOutside = (): Processes => createProcesses({ ...host, state, memory });
  const outside = openOutside();
  const processes = processesIn(place, outside);
  const sandbox = createSandbox({ mode, environment, state, place });
  const staged = createStagedRuns({
    ...host,
    state,
    changes: options.changes,
    objects: options.objects,
    // These processes run outside and enter a copy of the place.
    processes: outside,
    withLock: state.withLock,
    guard: permission,
    refusal: permission.refusal,
    whereabouts: options.whereabouts,
  });
  const jobs = createJobs({ ...host, processes, state });
  const temporary = createTemporaryFolder({ state, clock: host.clock, owner: options.session });
  const shell: ShellNeeds = {
    ...confinementOf(sandbox, options),
    processes,
    staged,
    jobs,
    permission: commandPermission(staged, options),
    changes: commandChanges(options),
    ownPlaces: options.ownPaths.map(afterLinks),
    foregroundMs: FOREGROUND_MS,
    temporaryFolder: temporary.path,
    jobStarted: options.jobStarted,
  };
  return {
    processes,
    outside,
    openLasting: () => processesIn(place, openOutside()),
    sandbox,
    shell,
    async close() {
      await jobs.end({ kind: 'shutdown' });
      await processes.end({ kind: 'shutdown' });
      await temporary.remove();
    },
  };
}

function confinementOf(sandbox: Sandbox, options: CommandsOptions): Confinement {
  const { host, permission, environment, denied } = options;
  const { roots, place } = host.workspace;
  const needs = { roots, everyFile: everyFileOf(host.ripgrep), permission, denied, place };
  return {
    sandbox,
    environment,
    passedNames: options.sandbox.environment ?? [],
    networkHosts: options.sandbox.networkHosts ?? [],
    hiddenPaths: (named, signal) => hiddenPaths(needs, named, signal),
    async protectedPaths(effects) {
      // Servers and tools may run other files by now.
      await permission.refreshCodeInUse();
      return placesToProtect({
        roots: roots.filter(({ access }) => access === 'write').map(({ path }) => path),
        byRule: permission.unwritable.places,
        effects,
        home: afterLinks(homeDirectory(environment)),
        also: placesProtectedHere(options.alsoProtected ?? {}),
        place,
      });
    },
  };
}

function commandPermission(
  staged: StagedRuns,
  { permission, denied }: CommandsOptions,
): ShellNeeds['permission'] {
  const tool = 'run_shell_command';
  return {
    route: (effects, signal) => permission.routeOf({ tool, effects }, () => staged.possible(signal)),
    refusalOfUnseenChange: (effects, change) => permission.refusalOfUnseenChange({ tool, effects }, change),
    secretReason: permission.secretReason,
    ranUnconfined() {
      denied.mayHaveCopies = true;
    },
  };
}

function commandChanges(options: CommandsOptions): ShellNeeds['changes'] {
  const { host, changes, ignoredFiles, seen, whereabouts, saysApart = true } = options;
  const kept = createCommandChanges({ ...host, changes, keepsIgnored: ignoredFiles !== 'ask' });
  return { ...kept, seen, whereabouts: saysApart ? whereabouts : null };
}

const SANDBOX_LIMIT_MS = 20_000;

/** Better at the start than with the first command. */
export async function requireSandbox({ sandbox }: Commands): Promise<void> {
  const state = await sandbox.state(deadlineIn(SANDBOX_LIMIT_MS));
  if (state.confined) return;
  const { requiredButMissing } = await import('@toolwright/machine/host/sandbox/unconfined.js');
  throw new SettingsError(requiredButMissing(state));
}
