import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isNodeError, orNull } from '../../base/errors.js';
import type { Launch, StandIn } from '../processes/processes.js';

/**
 * The paths by which this process reaches the files of a session: their own, or those of a view that shows the folders to work
 * in as the session has changed them. Whoever looks at such a file without `host/files` asks here for the path to use.
 */
export interface Place {
  /** The path by which an entry is reached. Links on it are followed only as far as the kernel does; see `follow`. */
  at(path: string): string;
  /** The path by which the entry is reached that a path leads to after links. */
  follow(path: string): string;
  /** The path after links; null when nothing is there. */
  realPath(path: string): string | null;
  /** The path after links, as far as it exists. */
  afterLinks(path: string): string;
  /** The launch that starts another one where it sees these files. */
  enter(launch: Launch): Launch;
  /** Folders that a sandbox must show in place of others, because a view is no more than a copy. */
  standIns(): readonly StandIn[];
  /** The folder that holds the changes of the view; null where every file is at its own path. */
  viewFolder(): string | null;
}

/** Every file at its own path. */
export const here: Place = {
  at: (path) => path,
  follow: (path) => path,
  realPath: (path) => orNull(() => realpathSync.native(path)),
  afterLinks: (path) => afterLinksBy(here.realPath, path),
  enter: (launch) => launch,
  standIns: () => [],
  viewFolder: () => null,
};

/** A view, as far as a place asks for it. */
interface SeenThrough extends Pick<Place, 'at' | 'enter'> {
  folder: string;
  standIns?: readonly StandIn[];
}

/** The place of a session, which is that of a view from the moment there is one. */
export function createPlace(view: () => SeenThrough | null): Place {
  const at = (path: string): string => view()?.at(path) ?? path;
  const realPath = (path: string): string | null =>
    view() === null ? here.realPath(path) : orNull(() => realPathAt(at, path));
  const afterLinks = (path: string): string => afterLinksBy(realPath, path);
  return {
    at,
    realPath,
    afterLinks,
    follow: (path) => (view() === null ? path : at(afterLinks(path))),
    enter: (launch) => view()?.enter(launch) ?? launch,
    standIns: () => view()?.standIns ?? [],
    viewFolder: () => view()?.folder ?? null,
  };
}

function afterLinksBy(realPath: Place['realPath'], path: string): string {
  const real = realPath(path);
  if (real !== null) return real;
  const above = dirname(path);
  return above === path ? path : join(afterLinksBy(realPath, above), basename(path));
}

const MOST_LINKS = 40;

/**
 * Reads link by link: the kernel would follow an absolute link, and the link that leads into a view, to the folder itself. Throws
 * when an entry is missing or links lead in a circle.
 */
function realPathAt(at: (path: string) => string, path: string): string {
  // Outside of a view, and without a link on the way into one, it is what the kernel says.
  if (at(path) === path && orNull(() => realpathSync.native(path)) === path) return path;
  let real = '/';
  let links = 0;
  const names = namesOf(path);
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const next = join(real, name);
    // The link is read by its name in its folder: the path of a view's root is itself a link of the kernel.
    const target = linkTarget(join(at(real), name));
    if (target === null) real = next;
    else {
      if (++links > MOST_LINKS) throw new Error(`${path} has too many links`);
      names.unshift(...namesOf(target));
      if (target.startsWith('/')) real = '/';
    }
  }
  return real;
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** Null for an entry that is no link. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isNodeError(error, 'EINVAL')) return null;
    throw error;
  }
}
