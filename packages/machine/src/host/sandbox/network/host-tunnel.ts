import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeShortLivedFolder } from '../../leases/owned-folder.js';
import { realFileSystem } from '../mounts/file-system.js';
import type { Mount } from '../mounts/mount.js';
import type { SandboxOptions } from '../sandbox.js';
import { forwarderPort, insideSocket, proxyVariables, withForwarder } from './forwarder.js';
import { type HostProxy, startHostProxy } from './host-proxy.js';

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

const insideConnect = '/run/toolwright-connect';
const systemSettings = '/etc/ssh/ssh_config';

/** Runs inside for every ssh connection: asks the proxy for a tunnel to the host, then forwards the data. */
const connect = (port: number): string => `
const net = require('node:net');
const [host, port] = process.argv.slice(2);
const name = host.includes(':') ? '[' + host + ']' : host;
const socket = net.connect(${port}, '127.0.0.1', () => {
  socket.write('CONNECT ' + name + ':' + port + ' HTTP/1.1\\r\\nHost: ' + name + ':' + port + '\\r\\n\\r\\n');
});
const fail = (text) => {
  process.stderr.write(text.trim() + '\\n');
  process.exit(1);
};
let said = Buffer.alloc(0);
const listen = (chunk) => {
  said = Buffer.concat([said, chunk]);
  const end = said.indexOf('\\r\\n\\r\\n');
  if (end === -1) return;
  const head = said.subarray(0, end).toString('latin1');
  const rest = said.subarray(end + 4);
  if (!/^HTTP\\/1\\.[01] 200 /.test(head)) return fail(rest.toString() || head.split('\\r\\n')[0]);
  socket.off('data', listen);
  process.stdout.write(rest);
  socket.pipe(process.stdout);
  process.stdin.pipe(socket);
};
socket.on('data', listen).on('error', (error) => fail(error.message)).on('close', () => process.exit(0));
`;

/** Ssh ignores proxy variables; its settings name a program that connects in its place. */
interface SshTunnel {
  mounts: readonly Mount[];
  variables: Readonly<Record<string, string>>;
}

function sshThroughProxy(folder: string, { node, port }: { node: string; port: number }): SshTunnel {
  const program = join(folder, 'connect');
  writeFileSync(program, connect(port));
  const command = `'${node.replaceAll('%', '%%').replaceAll("'", "'\\''")}' ${insideConnect} %h %p`;
  const helper: Mount = { kind: 'read-only', path: insideConnect, from: program };
  const real = realFileSystem.realPath(systemSettings);
  const text = real === null ? null : realFileSystem.text(real);
  if (real === null || text === null)
    return { mounts: [helper], variables: { GIT_SSH_COMMAND: `ssh -o ProxyCommand="${command}"` } };
  const settings = join(folder, 'ssh_config');
  // The first of several values counts for ssh, and it reads the user's own settings before these.
  writeFileSync(settings, `Host *\n  ProxyCommand ${command}\n\n${text}`);
  return { mounts: [helper, { kind: 'read-only', path: real, from: settings }], variables: {} };
}
