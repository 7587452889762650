import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { orNull } from '../../../base/errors.js';

/** What a program wrote to a folder that was its own and is gone. */
export interface DroppedWrites {
  /** Absolute, as the program saw them: files and links, the first few. */
  paths: readonly string[];
  /** How many more there were. */
  more: number;
  /** How many files of caches and histories, which nobody misses. */
  caches: number;
  /** What is new at the top of the session's own /tmp, which goes with the session. */
  temporary: readonly string[];
  /** Files outside that were changed, as the person had agreed to. */
  kept: readonly string[];
  /** What could not be carried over to such a file, one sentence each. */
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
/** A package manager writes thousands of files; all of them need not be counted. */
const MOST_LOOKED_AT = 5_000;

interface ScratchView {
  /** The place of the folder as the program saw it. */
  home: string;
  /** Places that are not the program's: what was mounted there. */
  except: ReadonlySet<string>;
}

/** Looks through the folder that stood for a home. What can't be read is passed over. */
export function writtenIn(
  folder: string,
  { home, except }: ScratchView,
): Pick<DroppedWrites, 'paths' | 'more' | 'caches'> {
  const paths: string[] = [];
  let [more, caches, looked] = [0, 0, 0];
  const pending = [folder];
  for (let next = pending.shift(); next !== undefined && looked < MOST_LOOKED_AT; next = pending.shift()) {
    for (const entry of orNull(() => readdirSync(next, { withFileTypes: true })) ?? []) {
      const real = join(next, entry.name);
      const inside = relative(folder, real);
      const path = join(home, inside);
      if (except.has(path)) continue;
      looked += 1;
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
