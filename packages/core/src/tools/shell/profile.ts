import type { Profile } from '@toolwright/machine/host/sandbox/sandbox.js';
import type { ShellCall } from './call.js';
import { checkOutside } from './outside/resolve-outside.js';

/** What a command sees of the world. */
export async function profileOf(
  { params, looked, host, parts }: ShellCall,
  workspace: Profile['workspace'],
  signal: AbortSignal,
): Promise<Profile> {
  const writable = host.workspace.roots.filter(({ access }) => access === 'write');
  const readable = host.workspace.roots.filter(({ access }) => access === 'read');
  const { places, hosts } = looked.outside;
  checkOutside(places);
  const named = [...looked.analysis.reads, ...[...places.read, ...places.write].map(({ real }) => real)];
  const hidden = await parts.hiddenPaths(named, signal);
  if (workspace === 'writable' && (looked.isOwn || !looked.sandbox.confined)) parts.ranUnconfined();
  return {
    workspace,
    roots: writable.map(({ path }) => path),
    // The person was asked about secret places that the command names before it runs.
    readable: [
      ...readable.map(({ path }) => path),
      ...looked.analysis.reads.filter((path) => parts.secretReason(path) !== null),
    ],
    temporaryFolder: await parts.temporaryFolder(),
    hidden,
    ...(looked.outside.effects.length > 0 ? { outside: places } : {}),
    network: networkOf(params, hosts, parts),
  };
}

function networkOf(
  { network }: ShellCall['params'],
  hosts: readonly string[],
  { networkHosts }: Pick<ShellCall['parts'], 'networkHosts'>,
): Profile['network'] {
  if (network) return networkHosts.length > 0 ? { hosts: [...networkHosts, ...hosts] } : 'open';
  return hosts.length > 0 ? { hosts } : 'off';
}
