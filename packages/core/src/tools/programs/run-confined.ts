import { devNull } from 'node:os';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { childEnvironment } from '@toolwright/machine/host/processes/child-environment.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Profile, Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import type { Program, RunProgram } from './program.js';

/** The limits of every program that is started for the model: shell commands and tools of other people. */
export interface Confinement {
  sandbox: Sandbox;
  /** The user's environment; programs see a part of it. */
  environment: Environment;
  /** Names of variables that programs may see besides the usual ones; `NAME*` for a prefix. */
  passedNames: readonly string[];
  /** Hosts that a program with network may reach; empty: any. */
  networkHosts: readonly string[];
  /** Paths that the rules keep from a program that names these ones. */
  hiddenPaths(named: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Paths that a program can't change when its changes are not looked at before they are kept. */
  protectedPaths(effects?: readonly Effect[]): Promise<Pick<Profile, 'protectedPaths' | 'protectedIfThere'>>;
}

export interface ConfinedRunNeeds extends Confinement {
  workspace: Pick<Workspace, 'roots'>;
  processes: Pick<Processes, 'run'>;
}

/** Runs programs like shell commands whose changes are not looked at first: protected paths can't be changed. */
export function confinedRun(needs: ConfinedRunNeeds): RunProgram {
  const { environment } = needs;
  const names = namesPassed(needs);
  return async (program, options) => {
    const [first = '', ...args] = program.words;
    const launch = {
      program: first,
      args,
      directory: program.directory,
      // Python would run what it compiled beside its sources, and nobody looks at that before a start.
      environment: { PYTHONPYCACHEPREFIX: devNull, ...childEnvironment(environment, { names }) },
    };
    const confined = await needs.sandbox.confine(
      launch,
      await profileOf(program, needs, options.signal),
      options.signal,
    );
    try {
      return await needs.processes.run(confined.launch, options);
    } finally {
      await confined.release();
    }
  };
}

async function profileOf(
  { access, readable = [] }: Program,
  needs: ConfinedRunNeeds,
  signal: AbortSignal,
): Promise<Profile> {
  const { roots } = needs.workspace;
  const pathsOf = (wanted: 'read' | 'write'): string[] =>
    roots.filter((root) => root.access === wanted).map(({ path }) => path);
  return {
    workspace: access.write ? 'writable' : 'read-only',
    roots: pathsOf('write'),
    readable: [...pathsOf('read'), ...readable],
    hidden: await needs.hiddenPaths([], signal),
    ...(access.write ? await needs.protectedPaths() : {}),
    network: networkFor(needs, { isWanted: access.network }),
  };
}

/** The network of a confined program: all of it or the hosts that settings name where it is wanted, and hosts of its own. */
export function networkFor(
  { networkHosts }: Pick<Confinement, 'networkHosts'>,
  { isWanted = false, hosts = [] }: { isWanted?: boolean; hosts?: readonly string[] },
): Profile['network'] {
  if (isWanted && networkHosts.length === 0) return 'open';
  const open = isWanted ? [...networkHosts, ...hosts] : hosts;
  return open.length > 0 ? { hosts: open } : 'off';
}

/** Names of the variables that a program sees besides the usual ones. */
export function namesPassed({
  environment,
  passedNames,
}: Pick<Confinement, 'environment' | 'passedNames'>): string[] {
  if (passedNames.length === 0) return [];
  return Object.keys(environment).filter((name) => passedNames.some((written) => fits(name, written)));
}

/** `NAME`, or `NAME*` for a prefix. */
function fits(name: string, written: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written;
}
