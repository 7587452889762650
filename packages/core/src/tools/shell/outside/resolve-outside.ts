import { tmpdir } from 'node:os';
import { basename, isAbsolute, join, normalize } from 'node:path';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { namesIn, runLaterAt, runLaterByName, secretAt } from '@toolwright/machine/base/places/places.js';
import { runLaterInHome } from '@toolwright/machine/base/places/run-later-places.js';
import { foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import type { Outside, OutsidePlace } from '@toolwright/machine/host/sandbox/sandbox.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { type Environment, homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { afterLinks, isInside } from '@toolwright/machine/host/workspace.js';
import type { OutsideParams } from './outside-params.js';

/** Places and hosts beyond the sandbox that a call asks for, looked up. */
export interface ResolvedOutside {
  effects: Effect[];
  places: Outside;
  /** The hosts, in the form that the network of a profile takes. */
  hosts: readonly string[];
  /** Environment variables; they say where the ssh agent is. */
  variables: Readonly<Record<string, string>>;
}

export interface OutsideContext {
  environment: Environment;
  /** The folders to work in. */
  roots: readonly string[];
  /** Settings and state of Toolwright, after links. */
  ownPlaces: readonly string[];
}

export const nothingOutside: ResolvedOutside = {
  effects: [],
  places: { read: [], write: [] },
  hosts: [],
  variables: {},
};

/** Throws a `ToolError` for what can't be had, or never may. */
export function resolveOutside(params: OutsideParams, context: OutsideContext): ResolvedOutside {
  const home = homeDirectory(context.environment);
  const find = (access: 'read' | 'write') =>
    [...new Set(params[access] ?? [])].map((written) => {
      const place = placeOf(written, access, home);
      const refusal = refusalOf(place, access, context);
      if (refusal) throw refusal;
      return place;
    });
  const places: Outside = { read: find('read'), write: find('write') };
  if (params.sshAgent) places.sshAgent = agentSocket(context.environment);
  const hosts = [...new Set((params.hosts ?? []).map(hostOf))];
  const effectOf = (access: 'read' | 'write', { real, kind }: OutsidePlace): Effect => {
    const note = noteOn({ path: real, kind, access }, home);
    const isFolder = kind === 'folder' || kind === 'missing-folder';
    return {
      kind: 'outside',
      access,
      path: real,
      folder: isFolder ? true : undefined,
      note: note ?? undefined,
    };
  };
  const hostEffect = (host: string): Effect => {
    const note = noteOnHost(host);
    return { kind: 'outside', access: 'host', host, note: note ?? undefined };
  };
  return {
    effects: [
      ...places.write.map((place) => effectOf('write', place)),
      ...places.read.map((place) => effectOf('read', place)),
      ...(places.sshAgent === undefined ? [] : [{ kind: 'outside', access: 'ssh-agent' } as const]),
      ...hosts.map(hostEffect),
    ],
    places,
    variables: places.sshAgent === undefined ? {} : { SSH_AUTH_SOCK: places.sshAgent },
    // Without a port, those of the web and that of ssh.
    hosts: hosts.flatMap((host) => (/:\d+$/.test(host) ? [host] : [host, `${host}:22`])),
  };
}

/**
 * Checks before the start that the command sees what the user agreed to, for a link may lead elsewhere since they
 * were asked. What is missing or no file is told only now: nobody learns without a question what there is outside.
 */
export function checkOutside({ read, write }: Outside): void {
  for (const { path, real, kind } of [...read, ...write]) {
    const shown = foreignText(path);
    if (afterLinks(path) !== real)
      throw new ToolError(
        'conflict',
        `${shown} leads elsewhere since the question was asked, so the command did not run. Call again.`,
      );
    const now = kindAt(real);
    const isMissing = kind === 'missing-file' || kind === 'missing-folder';
    if (now === 'other' || (isMissing ? now !== null : now !== kind))
      throw new ToolError(
        'failed',
        `${shown} is not a file, folder or socket that can be shown, or it has changed.`,
      );
  }
  const missing = read.find(({ kind }) => kind === 'missing-file');
  if (missing)
    throw new ToolError(
      'not_found',
      `outside.read: ${foreignText(missing.path)} does not exist. Leave it out.`,
    );
}

function placeOf(written: string, access: 'read' | 'write', home: string): OutsidePlace {
  const bad = (problem: string): ToolError =>
    new ToolError('invalid_params', `outside.${access}: ${foreignText(written)} ${problem}`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(written)) throw bad('has a control character in its name.');
  const expanded = written === '~' || written.startsWith('~/') ? join(home, written.slice(1)) : written;
  if (!isAbsolute(expanded)) throw bad('is not a whole path. Begin with / or ~/.');
  const path = normalize(expanded).replace(/(.)\/+$/, '$1');
  const real = afterLinks(path);
  const found = kindAt(real);
  if (found !== null && found !== 'other') return { path, real, kind: found };
  const isFolder = access === 'write' && expanded.endsWith('/');
  return { path, real, kind: isFolder ? 'missing-folder' : 'missing-file' };
}

function kindAt(path: string): 'file' | 'folder' | 'socket' | 'other' | null {
  const kind = lookAtSync(path)?.kind ?? null;
  return kind === 'directory' ? 'folder' : kind;
}

const ofTheKernel = ['/proc', '/sys', '/dev'];

function refusalOf(
  { path, real }: OutsidePlace,
  access: 'read' | 'write',
  { roots, ownPlaces }: OutsideContext,
): ToolError | null {
  const names = [path, real];
  const touches = (place: string): boolean =>
    names.some((name) => isInside(name, place) || isInside(place, name));
  const isOwnFolder = names.some(
    (name) => /(?:^|\/)(?:\.toolwright|toolwright-\d+-[^/]*)(?:\/|$)/i.test(name) || isInside(tmpdir(), name),
  );
  const shown = foreignText(path);
  if (isOwnFolder || ownPlaces.some(touches))
    return new ToolError(
      'denied',
      `outside.${access}: ${shown} is or holds settings or sessions of Toolwright, which no command reaches. Name what you need beside them.`,
    );
  if (ofTheKernel.some((place) => names.some((name) => isInside(name, place))))
    return new ToolError(
      'invalid_params',
      `outside.${access}: ${shown} belongs to the kernel and can't be named.`,
    );
  const isIn = roots.some((root) => names.some((name) => isInside(name, root)));
  const holds = access === 'write' && roots.some((root) => isInside(root, real));
  if (!isIn && !holds) return null;
  const why = isIn ? 'lies in the workspace, which commands have anyway' : 'holds the workspace';
  return new ToolError('invalid_params', `outside.${access}: ${shown} ${why}. Leave it out.`);
}

function agentSocket({ SSH_AUTH_SOCK: socket }: Environment): string {
  if (socket && isAbsolute(socket) && kindAt(socket) === 'socket') return afterLinks(socket);
  throw new ToolError(
    'invalid_params',
    'outside.sshAgent: no ssh agent runs here (SSH_AUTH_SOCK names no socket). Tell the user to start one and add a key.',
  );
}

const hostName = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/;

function hostOf(written: string): string {
  const host = written.trim().toLowerCase();
  if (hostName.test(host)) return host;
  throw new ToolError(
    'invalid_params',
    `outside.hosts: ${foreignText(written)} is not a host. Give the name alone, such as github.com or github.com:22.`,
  );
}

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
function noteOnHost(host: string): string | null {
  if (thisMachine.test(host)) return 'this machine itself';
  return privateNetwork.test(host) ? 'in a private network' : null;
}
