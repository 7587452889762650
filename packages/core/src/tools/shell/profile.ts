import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { ShellCall } from './call.js';
import { checkOutside } from './outside/resolve-outside.js';

/** The profile of the sandbox for one command: what it sees of the world. */
export async function profileOf(
  { params, facts, host, needs }: ShellCall,
  workspace: Profile['workspace'],
  signal: AbortSignal,
): Promise<Profile> {
  const writable = host.workspace.roots.filter(({ access }) => access === 'write');
  const readable = host.workspace.roots.filter(({ access }) => access === 'read');
  const { places, hosts } = facts.outside;
  checkOutside(places);
  const named = [...facts.analysis.reads, ...[...places.read, ...places.write].map(({ real }) => real)];
  const hidden = await needs.hiddenPaths(named, signal);
  if (workspace === 'writable' && !facts.sandbox.confined) needs.permission.ranUnconfined();
  return {
    workspace,
    roots: writable.map(({ path }) => path),
    // The user was asked about secret places that the command names before it runs.
    readable: [
      ...readable.map(({ path }) => path),
      ...facts.analysis.reads.filter((path) => needs.permission.secretReason(path) !== null),
    ],
    temporaryFolder: await needs.temporaryFolder(),
    hidden,
    outside: facts.outside.effects.length > 0 ? places : undefined,
    network: networkOf(params, hosts, needs),
  };
}

function networkOf(
  { network }: ShellCall['params'],
  hosts: readonly string[],
  { networkHosts }: Pick<ShellCall['needs'], 'networkHosts'>,
): Profile['network'] {
  if (network) return networkHosts.length > 0 ? { hosts: [...networkHosts, ...hosts] } : 'open';
  return hosts.length > 0 ? { hosts } : 'off';
}
