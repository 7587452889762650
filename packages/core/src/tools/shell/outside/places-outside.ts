import { basename, join } from 'node:path';
import { namesIn, runLaterAt, runLaterByName, secretAt } from '@toolwright/machine/base/places/places.js';
import { runLaterInHome } from '@toolwright/machine/base/places/run-later-places.js';
import type { OutsidePlace } from '@toolwright/machine/host/sandbox/sandbox.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { isInside } from '@toolwright/machine/host/workspace.js';

/** Sockets of services that do as root what they are told; `*` stands for one name. */
const rootSockets = [
  ...['/run/docker.sock', '/run/docker/*', '/run/user/*/docker.sock', '/run/containerd/*', '/run/k3s/*'],
  ...['/run/podman/*', '/run/user/*/podman/*', '/run/crio/*', '/run/buildkit/*', '/run/systemd/private'],
  ...['/run/dbus/*', '/run/snapd.socket', '/run/snapd-snap.socket', '/run/libvirt/*', '/run/lxd/*'],
  ...['/run/incus/*', '/var/lib/lxd/*', '/var/lib/incus/*', '/var/snap/lxd/*', '/run/nix/*'],
  ...['/nix/var/nix/daemon-socket/*', '/run/acpid.socket', '/run/udev/control', '/run/dockershim.sock'],
  ...['/run/cri-dockerd.sock', '/run/user/*/systemd/*', '/run/user/*/bus', '/run/host-services/*'],
];
const patterns = rootSockets.map(
  (path) => new RegExp(`^${path.replace(/[.]/g, '\\.').replaceAll('*', '[^/]+')}(?:/.*)?$`),
);
const namesOfRootSockets = /^(?:docker|podman|containerd|crio|buildkitd|libvirt-sock(?:-.*)?)(?:\.sock)?$/;

interface Named {
  /** After links. */
  path: string;
  kind: OutsidePlace['kind'];
  access: 'read' | 'write';
}

/** A note for the user on a place that a command is to reach, or null. */
export function noteOn(named: Named, home: string): string | null {
  const known = knownOf(named, home);
  if (named.access !== 'read' || named.kind !== 'missing-file') return known;
  // A yes that is remembered holds for what will be there, too.
  return [...(known === null ? [] : [known]), 'nothing that could be read is there now'].join('; ');
}

function knownOf({ path, kind, access }: Named, home: string): string | null {
  const isSocket = kind === 'socket';
  const isMissing = kind === 'missing-file';
  const isRootSocket =
    ((isSocket || isMissing) && patterns.some((pattern) => pattern.test(path))) ||
    (isSocket && namesOfRootSockets.test(basename(path)));
  if (isRootSocket) return 'whoever talks to it can do everything on this machine, as root can';
  if (kind === 'folder' && holdsRootSocket(path))
    return 'there are sockets in it by which everything can be done on this machine, as root can';
  if (isSocket) return 'a socket: the service behind it acts for whoever talks to it';
  const secret = secretAt(path, home);
  const later = access === 'write' ? (runLaterAt(path, home)?.why ?? runLaterByName(path)) : null;
  const said = [
    ...(secret ? [`${isMissing ? 'it is for' : 'it holds'} ${secret.why}`] : []),
    ...(later ? [later] : []),
  ];
  if (said.length > 0) return said.join('; ');
  const holdsRunLater = namesIn(runLaterInHome).some((name) => isInside(join(home, name), path));
  return access === 'write' && holdsRunLater ? 'programs run what is in parts of it' : null;
}

/** True for a folder that holds one of the usual sockets of a root daemon. */
function holdsRootSocket(folder: string): boolean {
  const plain = [
    '/run/docker.sock',
    '/run/containerd/containerd.sock',
    '/run/podman/podman.sock',
    '/run/systemd/private',
  ];
  return plain.some((socket) => isInside(socket, folder) && lookAtSync(socket) !== null);
}

const thisMachine = /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])(?::\d+)?$/;
const privateNetwork =
  /^(?:10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|169\.254\.[\d.]+|\[f[cde][0-9a-f:]+\]|[^.:]+|.*\.(?:local|internal|lan|home\.arpa))(?::\d+)?$/;

/** The same for a host. */
export function noteOnHost(host: string): string | null {
  if (thisMachine.test(host)) return 'this machine itself';
  return privateNetwork.test(host) ? 'in a private network' : null;
}
