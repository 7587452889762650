import { devNull } from 'node:os';
import { childEnvironment } from '@toolwright/machine/host/processes/child-environment.js';
import type { Processes } from '@toolwright/machine/host/processes/processes.js';
import type { Profile, Sandbox } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import type { Program, RunProgram } from './program.js';

/** What confines a program; the same that confines a shell command. */
export interface ConfinementParts {
  workspace: Pick<Workspace, 'roots'>;
  processes: Pick<Processes, 'run'>;
  sandbox: Sandbox;
  environment: Environment;
  /** Variables that programs may see besides the usual ones; `NAME*` for a prefix. */
  passedNames: readonly string[];
  /** Where a program with network may go; empty: anywhere. */
  networkHosts: readonly string[];
  /** What the rules keep from a program that names these paths. */
  hiddenPaths(named: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  protectedPaths(): Promise<Pick<Profile, 'protectedPaths' | 'protectedIfThere'>>;
}

/** Runs programs like shell commands whose changes are not looked at first: protected paths can't be changed. */
export function confinedRun(parts: ConfinementParts): RunProgram {
  const { environment, passedNames } = parts;
  const names = Object.keys(environment).filter((name) => passedNames.some((written) => fits(name, written)));
  return async (program, options) => {
    const [first = '', ...args] = program.words;
    const launch = {
      program: first,
      args,
      directory: program.directory,
      // What Python compiled beside its sources is run in their place, and nobody looks at that before a start.
      environment: { PYTHONPYCACHEPREFIX: devNull, ...childEnvironment(environment, { names }) },
    };
    const confined = await parts.sandbox.confine(
      launch,
      await profileOf(program, parts, options.signal),
      options.signal,
    );
    try {
      return await parts.processes.run(confined.launch, options);
    } finally {
      await confined.release();
    }
  };
}

async function profileOf(
  { access, readable = [] }: Program,
  parts: ConfinementParts,
  signal: AbortSignal,
): Promise<Profile> {
  const { roots } = parts.workspace;
  const pathsOf = (wanted: 'read' | 'write'): string[] =>
    roots.filter((root) => root.access === wanted).map(({ path }) => path);
  const { networkHosts } = parts;
  return {
    workspace: access.write ? 'writable' : 'read-only',
    roots: pathsOf('write'),
    readable: [...pathsOf('read'), ...readable],
    hidden: await parts.hiddenPaths([], signal),
    ...(access.write ? await parts.protectedPaths() : {}),
    network: !access.network ? 'off' : networkHosts.length > 0 ? { hosts: networkHosts } : 'open',
  };
}

/** `NAME`, or `NAME*` for a prefix. */
function fits(name: string, written: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written;
}
