import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { AnalysisContext } from './analysis.js';
import { Unreadable } from './shell-word.js';

/**
 * Files anybody may read: empty devices and facts about the machine; folders below: installed software, since compilers'
 * headers and the like are everyday reading. Not /etc, /proc at large, /var, /opt or /usr/local/etc: secrets may lie there.
 */
const harmlessFiles = new Set([
  '/dev/null',
  '/dev/zero',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/random',
  '/dev/urandom',
  '/etc/os-release',
  '/etc/debian_version',
  '/etc/lsb-release',
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/loadavg',
  '/proc/uptime',
  '/proc/version',
]);
const harmlessFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
const notHarmless = ['/usr/local/etc', '/usr/local/var', '/usr/home'];

/** Files that can be written to without leaving a trace. */
export const sinks: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The deepest path to follow: the time to follow one that does not exist grows with the square of its depth. */
const MOST_SEGMENTS = 256;

/** A name as the kernel would follow it from a folder: `..` is taken from what a link leads to. */
export function follow(
  directory: string,
  name: string,
  { realPath }: Pick<AnalysisContext, 'realPath'>,
): string {
  const segments = name.split('/');
  if (segments.length + directory.split('/').length > MOST_SEGMENTS)
    throw new Unreadable('it names a path that is too deep to be followed');
  if (realPath === undefined) return resolve(directory, name);
  let at = isAbsolute(name) ? '/' : realPath(directory);
  // A folder above a path that is already resolved has no link on its way either.
  let isReal = true;
  for (const segment of segments) {
    at = segment === '..' ? dirname(isReal ? at : realPath(at)) : join(at, segment);
    isReal = segment === '..';
  }
  return isReal ? at : realPath(at);
}

/** Both spellings of a path, as written and after links: a rule about either is about what is read. */
export function spellings(path: string, real: string): readonly string[] {
  return harmlessFiles.has(path) ? [path] : [path, real];
}

export function rootsOf({ roots, realPath }: Pick<AnalysisContext, 'roots' | 'realPath'>): string[] {
  return roots.flatMap((root) => [root, realPath?.(root) ?? root]);
}

/** May this be read without asking? Judged as written and after links. */
export function isReadable(path: string, real: string, context: AnalysisContext): boolean {
  if (harmlessFiles.has(path)) return true;
  const roots = rootsOf(context);
  return [path, real].every(
    (spelling) => roots.some((root) => isInside(spelling, root)) || isInstalled(spelling),
  );
}

function isInstalled(path: string): boolean {
  return (
    harmlessFolders.some((folder) => isInside(path, folder)) &&
    !notHarmless.some((folder) => isInside(path, folder))
  );
}

/** The folder in which a pattern begins to look; null when it climbs after a wildcard, or by one. */
export function folderOfGlob(pattern: string): string | null {
  const names = pattern.split('/');
  const first = names.findIndex((name) => /[*?[]/.test(name));
  if (names.slice(Math.max(first, 0)).some(climbs)) return null;
  const folder = names.slice(0, first).join('/');
  return folder === '' ? (pattern.startsWith('/') ? '/' : '.') : folder;
}

/** `.*` stands for `..` too, until version 5.2 of bash. */
function climbs(name: string): boolean {
  if (!name.startsWith('.')) return false;
  const wildcards: Record<string, string> = { '*': '.*', '?': '.' };
  const pattern = name.replace(/\[[!^]?[\w.-]+\]|[^\w-]/g, (part) =>
    part.length > 1 ? part.replace('[!', '[^') : (wildcards[part] ?? `\\${part}`),
  );
  return new RegExp(`^${pattern}$`, 's').test('..');
}
