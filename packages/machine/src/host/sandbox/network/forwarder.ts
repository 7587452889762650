/** The port at which programs inside find the proxy. Their network is their own, so it is always free. */
export const forwarderPort = 48_123;
export const insideSocket = '/run/toolwright-proxy';

/**
 * Runs inside: connects every connection to the socket that leads out. It closes its output once it listens, and
 * reopens it on /dev/null, because Node would not close a socket with that number again.
 */
const forwarder = `
const net = require('node:net');
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: process.argv[1], allowHalfOpen: true });
  for (const [one, other] of [[near, far], [far, near]]) one.on('error', () => other.destroy()).pipe(other);
});
server.listen(${forwarderPort}, '127.0.0.1', () => {
  const fs = require('node:fs');
  fs.closeSync(1);
  fs.openSync('/dev/null', 'w');
});
`;

/** Waits for the forwarder, then becomes the command. */
const starter =
  'node=$1 script=$2 socket=$3; shift 3; : "$("$node" -e "$script" "$socket" </dev/null 2>/dev/null &)"; exec "$@"';

export function withForwarder(node: string, command: readonly string[]): string[] {
  return ['/bin/sh', '-c', starter, 'sh', node, forwarder, insideSocket, ...command];
}

const nearby = ['localhost', '127.0.0.1', '::1'];

/** The variables programs read, in both spellings. A named host on this machine is reached through the proxy too. */
export function proxyVariables(port: number, hosts: readonly string[]): Readonly<Record<string, string>> {
  const isNamed = (name: string): boolean =>
    hosts.some((host) => host === name || host.startsWith(`${name}:`));
  const direct = nearby.filter((name) => !isNamed(name)).join(',');
  const address = `http://127.0.0.1:${port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return {
    ...Object.fromEntries(names.map((name) => [name, address])),
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}
