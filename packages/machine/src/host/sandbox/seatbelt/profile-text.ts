import { dirname } from 'node:path';
import { isInside } from '../../workspace.js';
import type { FileSystem } from '../mounts/file-system.js';
import { isInAny, usualSecrets } from '../mounts/secrets.js';
import type { Profile } from '../sandbox.js';

export interface SeatbeltSurroundings {
  home: string;
  stateFolder: string;
  /** A folder of its own: macOS has no private /tmp. */
  temporaryFolder: string;
  /** See `toolchainPlaces`. */
  toolchains: readonly string[];
  /** The port of the proxy to named hosts. */
  proxyPort: number | null;
  fileSystem: Pick<FileSystem, 'names'>;
}

const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/opt',
  '/System',
  '/Library',
  '/Applications/Xcode.app',
  '/private/etc',
  '/private/var/db/timezone',
  '/private/var/db/dyld',
  '/private/var/select',
];

const devices = ['null', 'zero', 'random', 'urandom', 'tty', 'dtracehelper', 'stdin', 'stdout', 'stderr'].map(
  (name) => `/dev/${name}`,
);

/** Rules every program needs: to start programs, and to ask the system about itself and the time. */
const always = [
  '(version 1)',
  '(deny default)',
  '(allow process-exec process-fork)',
  '(allow signal process-info* (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow file-read-metadata)',
  '(allow pseudo-tty)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger") (global-name "com.apple.trustd") (global-name "com.apple.SystemConfiguration.configd"))',
];

/**
 * The rules for `sandbox-exec`; the last one that fits wins. Modelled on Apple's own profiles; not yet run on a Mac.
 */
export function seatbeltProfile(profile: Profile, surroundings: SeatbeltSurroundings): string {
  const { home, stateFolder, temporaryFolder, toolchains, fileSystem } = surroundings;
  const readable = profile.readable ?? [];
  const secrets = usualSecrets(home, { fileSystem, isSeen: isInAny([...profile.roots, ...readable]) });
  const hidden = [...(profile.hidden ?? []), stateFolder, ...secrets];
  const written = [...(profile.workspace === 'writable' ? profile.roots : []), ...(profile.writable ?? [])];
  const hiddenAgain = hidden.filter((path) =>
    readable.some((folder) => path !== folder && isInside(path, folder)),
  );
  return [
    ...always,
    rule('allow file-read*', [...systemFolders, ...toolchains, ...profile.roots].map(subpath)),
    rule('allow file-read* file-write* file-ioctl', [...devices.map(literal), subpath('/dev/fd')]),
    rule('allow file-read* file-write*', written.map(subpath)),
    rule('deny file-read* file-write*', hidden.map(subpath)),
    rule(
      'allow file-read* file-write*',
      [temporaryFolder, ...(profile.home === undefined ? [] : [profile.home])].map(subpath),
    ),
    rule('allow file-read*', readable.map(subpath)),
    rule('deny file-read* file-write*', hiddenAgain.map(subpath)),
    ...protection(profile),
    ...network(profile, surroundings.proxyPort),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function rule(action: string, places: readonly string[]): string {
  return places.length === 0 ? '' : `(${action} ${[...new Set(places)].join(' ')})`;
}

/** Renaming a folder needs the right to unlink it: without it nobody puts another in its place. */
function protection({ protectedPaths = [], protectedIfThere = [], hidden = [], roots }: Profile): string[] {
  const paths = [...protectedPaths, ...protectedIfThere].map((path) => path.replace(/\/$/, ''));
  const between = [...paths, ...hidden].flatMap((path) => foldersAbove(path, roots));
  return [rule('deny file-write*', paths.map(subpath)), rule('deny file-write-unlink', between.map(literal))];
}

function foldersAbove(path: string, roots: readonly string[]): string[] {
  const folder = dirname(path);
  if (folder === path || !roots.some((root) => isInside(folder, root))) return [];
  return [folder, ...foldersAbove(folder, roots)];
}

/** A Mac has one loopback for everybody, so without network it is closed too. */
function network({ network: wanted }: Profile, proxyPort: number | null): string[] {
  if (wanted === 'off') return ['(deny network*)'];
  if (wanted === 'open') return ['(allow network*)', '(allow system-socket)'];
  if (proxyPort === null) throw new Error('a network of named hosts needs a proxy');
  return ['(deny network*)', `(allow network-outbound (remote ip "localhost:${proxyPort}"))`];
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`;
}

function literal(path: string): string {
  return `(literal ${quote(path)})`;
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
