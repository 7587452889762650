import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { orNull } from '../../../base/errors.js';
import { isInside } from '../../workspace.js';

/** Files that a program wrote to its own home, which is gone. */
export interface DroppedWrites {
  /** Files and links as the program saw them, absolute; only the first few. */
  paths: readonly string[];
  /** Number of further files. */
  more: number;
  /** Number of cache and history files, which nobody misses. */
  caches: number;
  /** New names in the session's own /tmp, which is removed with the session. */
  temporary: readonly string[];
  /** Files outside that were changed, as the user had agreed to. */
  kept: readonly string[];
  /** Changes to such files that could not be put in place, one sentence each. */
  problems: readonly string[];
}

export const nothingDropped: DroppedWrites = {
  paths: [],
  more: 0,
  caches: 0,
  temporary: [],
  kept: [],
  problems: [],
};

const MOST_NAMED = 8;
/** A package manager writes thousands of files; not all need to be counted. */
const MOST_EXAMINED = 5_000;

interface ScratchView {
  /** The path at which the program saw the folder. */
  home: string;
  /** Mount points, whose content the program did not write. */
  except: ReadonlySet<string>;
}

/** Lists the files in the folder that stood for a home. Unreadable ones are skipped. */
export function writtenIn(
  folder: string,
  { home, except }: ScratchView,
): Pick<DroppedWrites, 'paths' | 'more' | 'caches'> {
  const paths: string[] = [];
  let [more, caches, examined] = [0, 0, 0];
  const pending = [folder];
  for (let next = pending.shift(); next !== undefined && examined < MOST_EXAMINED; next = pending.shift()) {
    for (const entry of orNull(() => readdirSync(next, { withFileTypes: true })) ?? []) {
      const real = join(next, entry.name);
      const inside = relative(folder, real);
      const path = join(home, inside);
      if (except.has(path)) continue;
      examined += 1;
      if (entry.isDirectory()) pending.push(real);
      else if (isCache(inside)) caches += 1;
      else if (paths.length < MOST_NAMED) paths.push(path);
      else more += 1;
    }
  }
  return { paths, more, caches };
}

const cacheFolders = [
  ...['.cache', '.npm', '.yarn', '.pnpm-store', '.bun', '.deno', '.gradle', '.m2', '.ivy2', '.sbt', '.nuget'],
  ...[
    '.cargo/registry',
    '.cargo/git',
    '.dotnet',
    '.gem',
    '.bundle/cache',
    '.terraform.d/plugin-cache',
    '.pki',
  ],
  ...['.local/share', '.local/state', '.config/configstore', '.matplotlib', '.ipython', '.keras', '.java'],
  ...['go/pkg', 'Library/Caches', '.android/cache', '.config/yarn', '.config/go/telemetry', '.ccache', '.nv'],
];
const cacheFiles =
  /^\.(?:[a-z]+_history|lesshst|wget-hsts|viminfo|v8flags.*|yarnrc|babel\.json|npm-init.*|cargo\/\.(?:package-cache|global-cache).*|rnd|sudo_as_admin_successful)$/;

function isCache(inside: string): boolean {
  return cacheFiles.test(inside) || cacheFolders.some((folder) => inside.startsWith(`${folder}/`));
}

/** Names of files that programs make for themselves and nobody else needs. */
const ownNames =
  /^(?:tmp[._a-z0-9-]*|\.?(?:node|v8|tsx?|ts-node|jiti|vite|vitest|jest|npm|npx|pip|uv|go-build|cargo|rust|bazel|gradle|hsperfdata|kotlin|sbt|dotnet|clr|nuget|msbuild|pytest-of|pymp|matplotlib|yarn|corepack|ccache|x\d+|sh-thd|bash)[-_.].*|cc[a-z0-9]{6}\..*)$/i;

const MOST_ENTRIES = 2_000;

/** Remembers the names in a folder that programs see as /tmp; the returned function lists the new ones. */
export function watchTemporaryNames(folder: string): (mountPoints: readonly string[]) => string[] {
  const before = new Set(namesIn(folder));
  return (mountPoints) =>
    namesIn(folder)
      .filter((name) => !before.has(name) && !ownNames.test(name))
      .map((name) => `/tmp/${name}`)
      .filter((path) => !mountPoints.some((mounted) => isInside(mounted, path)));
}

function namesIn(folder: string): string[] {
  return (orNull(() => readdirSync(folder)) ?? []).slice(0, MOST_ENTRIES);
}
