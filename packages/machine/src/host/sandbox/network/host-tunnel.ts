import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeShortLivedFolder } from '../../leases/short-lived-folder.js';
import type { Mount } from '../mounts/mount.js';
import type { SandboxOptions } from '../sandbox.js';
import { forwarderPort, insideSocket, proxyVariables, withForwarder } from './forwarder.js';
import { type HostProxy, startHostProxy } from './host-proxy.js';
import { sshThroughProxy } from './ssh-tunnel.js';

/** Connects a confined program to the named hosts, and no others. */
export interface HostTunnel {
  mounts: readonly Mount[];
  /** Programs that the wrapped command needs to see. */
  programs: readonly string[];
  variables: Readonly<Record<string, string>>;
  wrap(command: readonly string[]): string[];
  refused(): readonly string[];
  close(): Promise<void>;
}

export async function openHostTunnel(
  { hosts }: { hosts: readonly string[] },
  { environment }: Pick<SandboxOptions, 'environment'>,
): Promise<HostTunnel> {
  // A socket's path may have no more than 107 bytes, so it can't be in the state folder.
  const folder = makeShortLivedFolder();
  const socketPath = join(folder, 'proxy');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let proxy: HostProxy | undefined;
  const close = async (): Promise<void> => {
    await proxy?.close();
    remove();
  };
  try {
    proxy = await startHostProxy({ listen: { path: socketPath }, hosts, guard: { environment } });
    const ssh = sshThroughProxy(folder, { node: process.execPath, port: forwarderPort });
    return {
      mounts: [{ kind: 'writable', path: insideSocket, from: socketPath }, ...ssh.mounts],
      programs: [process.execPath],
      variables: { ...proxyVariables(forwarderPort, hosts), ...ssh.variables },
      wrap: (command) => withForwarder(process.execPath, command),
      refused: proxy.refused,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
