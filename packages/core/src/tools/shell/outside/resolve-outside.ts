import { lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { Effect } from '../../../base/effect.js';
import { ToolError } from '../../../base/errors.js';
import type { Outside, OutsidePlace } from '../../../host/sandbox/sandbox.js';
import { type Environment, homeDirectory } from '../../../host/state/state-folder.js';
import { afterLinks, inMessage, isInside } from '../../../host/workspace.js';
import type { OutsideParams } from './outside-params.js';
import { noteOn } from './places-outside.js';

/** What a call asked for beyond the sandbox, looked up. */
export interface ResolvedOutside {
  effects: Effect[];
  places: Outside;
  /** As the network of a profile takes them. */
  hosts: readonly string[];
  /** Of the environment: where the ssh agent is. */
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
    return { kind: 'outside', access, path: real, ...(note === null ? {} : { note }) };
  };
  return {
    effects: [
      ...places.write.map((place) => effectOf('write', place)),
      ...places.read.map((place) => effectOf('read', place)),
      ...(places.sshAgent === undefined ? [] : [{ kind: 'outside', access: 'ssh-agent' } as const]),
      ...hosts.map((host): Effect => ({ kind: 'outside', access: 'host', host })),
    ],
    places,
    variables: places.sshAgent === undefined ? {} : { SSH_AUTH_SOCK: places.sshAgent },
    // Without a port, those of the web and that of ssh.
    hosts: hosts.flatMap((host) => (/:\d+$/.test(host) ? [host] : [host, `${host}:22`])),
  };
}

/** What the person agreed to is what is shown to the command: a link may lead elsewhere since they were asked. */
export function checkUnmoved(places: readonly OutsidePlace[]): void {
  const moved = places.find(({ path, real }) => afterLinks(path) !== real);
  if (moved)
    throw new ToolError(
      'conflict',
      `${inMessage(moved.path)} leads elsewhere since the question was asked, so the command did not run. Call again.`,
    );
}

function placeOf(written: string, access: 'read' | 'write', home: string): OutsidePlace {
  const bad = (problem: string): ToolError =>
    new ToolError('invalid_params', `outside.${access}: ${inMessage(written)} ${problem}`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(written)) throw bad('has a control character in its name.');
  const expanded = written === '~' || written.startsWith('~/') ? join(home, written.slice(1)) : written;
  if (!isAbsolute(expanded)) throw bad('is no whole path. Begin with / or ~/.');
  const path = normalize(expanded).replace(/(.)\/+$/, '$1');
  const real = afterLinks(path);
  const found = statSync(real, { throwIfNoEntry: false });
  if (found) {
    const kind = found.isDirectory()
      ? 'folder'
      : found.isFile()
        ? 'file'
        : found.isSocket()
          ? 'socket'
          : null;
    if (kind === null) throw bad('is a device or a pipe; only files, folders and sockets can be named.');
    return { path, real, kind };
  }
  if (access === 'read') throw bad('does not exist.');
  if (lstatSync(real, { throwIfNoEntry: false })) throw bad('is a link that leads nowhere.');
  if (!statSync(nearestFolder(real)).isDirectory()) throw bad('lies below a file.');
  return { path, real, kind: expanded.endsWith('/') ? 'missing-folder' : 'missing-file' };
}

function nearestFolder(path: string): string {
  const above = dirname(path);
  return statSync(above, { throwIfNoEntry: false }) ? above : nearestFolder(above);
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
  const isOwnFolder = names.some((name) => /(?:^|\/)\.toolwright(?:\/|$)/i.test(name));
  const shown = inMessage(path);
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
  const found = socket && isAbsolute(socket) ? statSync(socket, { throwIfNoEntry: false }) : undefined;
  if (socket && found?.isSocket()) return afterLinks(socket);
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
    `outside.hosts: ${inMessage(written)} is no host. Give the name alone, such as github.com or github.com:22.`,
  );
}
