import type { Profile } from '../../host/sandbox/sandbox.js';
import type { ShellCall } from './call.js';

/** What a command sees of the world. */
export async function profileOf(
  { params, looked, host, parts }: ShellCall,
  workspace: Profile['workspace'],
  signal: AbortSignal,
): Promise<Profile> {
  const writable = host.workspace.roots.filter(({ access }) => access === 'write');
  const readable = host.workspace.roots.filter(({ access }) => access === 'read');
  const { networkHosts } = parts;
  return {
    workspace,
    roots: writable.map(({ path }) => path),
    // What is secret and named was asked about before anything runs.
    readable: [
      ...readable.map(({ path }) => path),
      ...looked.analysis.reads.filter((path) => parts.secretReason(path) !== null),
    ],
    temporaryFolder: await parts.temporaryFolder(),
    hidden: await parts.hiddenPaths(looked.analysis.reads, signal),
    network: !params.network ? 'off' : networkHosts.length > 0 ? { hosts: networkHosts } : 'open',
  };
}
