import { dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { foreignSentence } from '../../base/sentences/foreign-text.js';
import { isGitHistory } from '../../shell/models/git/history.js';
import { isInside } from '../workspace.js';
import { systemPlaces } from './mounts/usual-places.js';
import type { Profile } from './sandbox.js';

/** A confined command that has ended, and what it ran in. */
export interface ConfinedEnd {
  output: string;
  exitCode: number | null;
  profile: Profile;
  directory: string;
  home: string;
  /** The hosts of `Confined.refusedHosts`. */
  refusedHosts?: readonly string[];
}

const MOST_LINES = 200;
const MOST_SENTENCES = 4;
const LONGEST = 2_000;

/**
 * Explains what the sandbox had to do with a failure, one sentence each: what was refused, and what would allow it.
 * Empty for a command that succeeded or failed by itself.
 */
export function explainRefusals(end: ConfinedEnd): string[] {
  const hosts = [...new Set((end.refusedHosts ?? []).map(withoutUsualPort))];
  const named =
    hosts.length === 0
      ? []
      : [
          `The sandbox refused ${hosts.join(', ')}: neither the call nor sandbox.networkHosts names it. ${askingFor({ hosts })}`,
        ];
  const lines = end.exitCode === 0 ? [] : end.output.split('\n').filter(tellsOfFailure);
  const explained = lines.slice(0, MOST_LINES).flatMap((line) => explainLine(line, end) ?? []);
  return [...new Set([...named, ...explained])]
    .slice(0, MOST_SENTENCES)
    .map((text) => foreignSentence(text, LONGEST));
}

function tellsOfFailure(line: string): boolean {
  return line.length < 2000 && failure.test(line);
}

const readOnly = /read-only file system|\bEROFS\b/i;
const denied = /permission denied|\bEACCES\b/i;
const absent = /no such file or directory|\bENOENT\b/i;
const folder = /is a directory|\bEISDIR\b/i;
const busy = /device or resource busy|\bEBUSY\b/i;
const notPermitted = /operation not permitted|\bEPERM\b|(?:unshare|namespace).*no space left on device/i;
const unreachable =
  /could ?n.t resolve host|could not resolve|temporary failure in name resolution|name or service not known|network is unreachable|no route to host|nodename nor servname|\bENETUNREACH\b|\bEAI_AGAIN\b|getaddrinfo ENOTFOUND|dial tcp: lookup|failed to lookup address|unable to resolve host|failed to establish a new connection/i;
const service =
  /cannot connect to the docker daemon|docker\.sock|failed to connect to (?:the )?(?:system )?bus/i;
const failure = new RegExp(
  [readOnly, denied, absent, folder, busy, notPermitted, unreachable, service]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const privileged = /\b(ptrace|mount|umount|unshare|chroot|keyctl|perf|bpf|setns|TIOCSTI|namespace)\b/i;

function explainLine(line: string, end: ConfinedEnd): string | null {
  if (service.test(line))
    return `The sandbox hides the sockets of services on this machine. ${askingFor({ read: [serviceSocket(line)] })} This gives a lot away: whoever talks to such a socket can do whatever the service can.`;
  if (unreachable.test(line)) return explainNetwork(line, end.profile);
  const paths = pathsIn(line, end);
  const first = (explain: (path: string) => string | null): string | null => {
    for (const path of paths) {
      const sentence = explain(path);
      if (sentence !== null) return sentence;
    }
    return null;
  };
  if (readOnly.test(line))
    return first(
      (path) => explainHidden(path, end) ?? explainWrite(path, end) ?? explainShown(path, 'change', end),
    );
  if (denied.test(line)) return first((path) => explainDenied(path, end));
  // An empty folder stands in for a missing protected path.
  if (folder.test(line)) return first((path) => explainProtected(path, end.profile));
  if (busy.test(line)) return first((path) => explainBusy(path, end) ?? explainHidden(path, end));
  if (absent.test(line)) return first((path) => explainAbsent(path, end));
  const call = privileged.exec(line)?.[1];
  return call === undefined
    ? null
    : `The sandbox refused ${call}; no rule allows it inside. Only the user can run it, outside the sandbox.`;
}

function explainNetwork(line: string, { network }: Profile): string | null {
  if (network !== 'off') return null;
  const host = /(?:host|lookup|ENOTFOUND|EAI_AGAIN|resolve)[:\s]+['"]?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(
    line,
  )?.[1];
  const what = host === undefined ? 'the network' : `the network (${host})`;
  const named =
    host === undefined ? '' : `outside: ${JSON.stringify({ hosts: [host] })}, or for any host with `;
  return `The sandbox refused ${what}: this command ran without it. If it must reach the network, call again with ${named}network: true; the user is asked.`;
}

function explainWrite(path: string, { profile, home }: ConfinedEnd): string | null {
  const inside = profile.roots.some((root) => isInside(path, root));
  if (inside && profile.workspace === 'read-only')
    return `The sandbox refused to change ${path}: the workspace is read-only in this mode.`;
  const guarded = explainProtected(path, profile);
  if (guarded !== null) return guarded;
  if (inside || isPrivate(path, profile, home)) return null;
  return `The sandbox refused to change ${path}: it lies outside the folders to work in. ${remedy(path, 'write', home)}`;
}

function explainProtected(path: string, profile: Profile): string | null {
  if (!protectedPaths(profile).some((each) => isInside(path, each))) return null;
  return isGitHistory(path)
    ? `The sandbox refused to change ${path}: unless changes are reviewed first, only git itself may do that. Run the git command on its own, not together with others.`
    : `The sandbox refused to change ${path}: it is protected. Change it with edit or write_file, where the user is asked.`;
}

/**
 * True where a program may write anyway: in its own temporary folder and home. Toolchains of the real home are not
 * part of that.
 */
function isPrivate(path: string, { writable = [] }: Profile, home: string): boolean {
  return (
    isInside(path, '/tmp') ||
    (dirname(path) === home && path !== home) ||
    writable.some((each) => isInside(path, each))
  );
}

function explainHidden(path: string, { profile }: ConfinedEnd): string | null {
  const hidden = profile.hidden?.find((each) => isInside(path, each));
  return hidden === undefined
    ? null
    : `The sandbox hides ${path}: a user rule about reading covers it (Read(${hidden})). Only the user can change the rules.`;
}

/** In system folders it is the file's mode that denies, not the sandbox. */
function explainDenied(path: string, end: ConfinedEnd): string | null {
  const isSystem = systemPlaces.some((place) => isInside(path, place));
  return explainHidden(path, end) ?? (isSystem ? null : explainWrite(path, end));
}

function explainBusy(path: string, end: ConfinedEnd): string | null {
  const held = protectedPaths(end.profile).find((each) => isInside(each, path));
  return held === undefined
    ? explainShown(path, 'replace', end)
    : `The sandbox refused to move or remove ${path}: ${held} is protected. Leave the folder in place.`;
}

/**
 * Explains writes to files of the real home that are only shown: everything else in its own home a program may write.
 */
function explainShown(
  path: string,
  what: 'change' | 'replace',
  { profile, home }: ConfinedEnd,
): string | null {
  if (!isInside(path, home) || profile.roots.some((root) => isInside(path, root))) return null;
  return `The sandbox refused to ${what} ${path}: commands may only read it. ${remedy(path, 'write', home)}`;
}

function explainAbsent(path: string, { profile, home }: ConfinedEnd): string | null {
  const seen = [...profile.roots, ...(profile.readable ?? []), ...(profile.writable ?? []), ...systemPlaces];
  const everywhere = ['/tmp', '/dev', '/proc', '/var/tmp'];
  if ([...seen, ...everywhere].some((place) => isInside(path, place))) return null;
  const where = isInside(path, home) ? 'the home folder is hidden' : 'it lies outside what commands see';
  return `If ${path} exists, the sandbox hides it: ${where}. ${remedy(path, 'read', home)}`;
}

/** Names the exact parameter of the tool that would allow it. */
function askingFor(outside: { read?: string[]; write?: string[]; hosts?: string[] }): string {
  return `If the command needs this, call again with outside: ${JSON.stringify(outside)}; the user is asked.`;
}

/** Advises what to open, but never the whole disk, the home folder, the system or Toolwright's settings. */
function remedy(path: string, access: 'read' | 'write', home: string): string {
  const folder = dirname(path);
  const isTooWide = isInside(home, folder) || systemPlaces.some((place) => isInside(folder, place));
  if (isInside(home, path) || /(?:^|\/)\.toolwright(?:\/|$)/.test(path))
    return 'Only the user can run such a command, outside the sandbox: !COMMAND in the conversation.';
  const besides = isTooWide ? '' : ` They can also add its folder with --include-directories ${folder}.`;
  return askingFor({ [access]: [path] }) + besides;
}

function withoutUsualPort(host: string): string {
  return host.replace(/:(?:22|80|443)$/, '');
}

function serviceSocket(line: string): string {
  const named = /(\/[\w./-]+(?:\.sock|socket|bus))\b/.exec(line)?.[1];
  return (named ?? (/bus/i.test(line) ? '/run/dbus/system_bus_socket' : '/run/docker.sock')).replace(
    /^\/+/,
    '/',
  );
}

function protectedPaths({ protectedPaths: given = [], protectedIfThere = [] }: Profile): string[] {
  return [...given, ...protectedIfThere].map((path) => path.replace(/\/$/, ''));
}

const quoted = /['"`‘“]([^'"`’”\n]+)['"`’”]/g;
const beforeReason =
  /(?:^|: |\s)([^\s:'"`]+): (?:read-only file system|permission denied|no such file|is a directory|device or resource busy)/i;
const bareAbsolute = /(?:^|\s)(\/[^\s:'"`,;]+)/g;

/** Absolute paths that a message may be about, likeliest first. */
function pathsIn(line: string, { directory, home }: ConfinedEnd): string[] {
  const found = [
    ...[...line.matchAll(quoted)].map((match) => match[1] ?? ''),
    beforeReason.exec(line)?.[1] ?? '',
    ...[...line.matchAll(bareAbsolute)].map((match) => match[1] ?? ''),
  ];
  const expanded = found
    .filter((text) => text !== '' && !text.includes('\0'))
    .map((text) => (text.startsWith('~/') ? join(home, text.slice(2)) : text))
    .map((text) => (isAbsolute(text) ? normalize(text) : resolve(directory, text)));
  return [...new Set(expanded)];
}
