import { lstatSync, mkdirSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isNodeError, messageOf, ToolError } from '../../../base/errors.js';
import { foreignText } from '../../../base/sentences/foreign-text.js';
import { replaceFile } from '../../state/replace-file.js';
import type { OutsidePlace } from '../sandbox.js';

/** The outcome of files that a program was given to change. */
export interface SettledFiles {
  /** Files that were changed, made or removed, as they were named. */
  kept: readonly string[];
  /** Changes that could not be put in place, one sentence each. */
  problems: readonly string[];
}

/**
 * Gives a program copies of files that it may change. A mounted file can't be replaced by renaming another over it, as
 * most programs do with settings; so the program gets a copy in its own folder, and its changes are put in place when
 * it has ended.
 */
export function seedFiles(
  places: readonly OutsidePlace[],
  { folder, home }: { folder: string; home: string },
): () => Promise<SettledFiles> {
  const top = realpathSync(folder);
  const seeded = places.map((place) => {
    const copy = join(top, relative(home, place.path));
    const before = contentBefore(place);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    if (before) writeFileSync(copy, before.bytes, { mode: before.mode, flag: 'wx' });
    return { place, copy, before };
  });
  return async () => {
    const [kept, problems]: [string[], string[]] = [[], []];
    for (const each of seeded) {
      const { path } = each.place;
      try {
        if (await settle(each)) kept.push(path);
      } catch (error) {
        problems.push(`${foreignText(path)} was not changed: ${messageOf(error)}`);
      }
    }
    return { kept, problems };
  };
}

function contentBefore({ path, real }: OutsidePlace): SeededContent | null {
  try {
    return contentOf(real);
  } catch (error) {
    throw new ToolError(
      'failed',
      `${foreignText(path)} can't be handed over: ${messageOf(error)}. Name its folder instead.`,
    );
  }
}

/** Larger files must be shared by naming their folder. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Seeded {
  place: OutsidePlace;
  copy: string;
  before: SeededContent | null;
}

async function settle({ place: { real }, copy, before }: Seeded): Promise<boolean> {
  const after = copiedContent(copy);
  if (isSame(before, after)) return false;
  if (!isSame(before, contentOf(real))) throw new Error('somebody else changed it meanwhile');
  if (after === null) unlinkSync(real);
  else await replaceFile(real, after.bytes, after.mode);
  return true;
}

/** Reads the copy, unless the program replaced its folder by a link, which would lead to files of the host. */
function copiedContent(copy: string): SeededContent | null {
  const folder = dirname(copy);
  const real = realPathIfThere(folder);
  if (real === null) return null;
  if (real !== folder) throw new Error('a link is in the place of its folder');
  return contentOf(copy);
}

function realPathIfThere(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isNodeError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

interface SeededContent {
  bytes: Buffer;
  mode: number;
}

/** Null when there is nothing; throws for a link or anything else that is no file. */
function contentOf(path: string): SeededContent | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) throw new Error('it is not a plain file any more');
  if (found.size > MOST_BYTES) throw new Error('it is larger than 64 MB');
  return { bytes: readFileSync(path), mode: found.mode & 0o777 };
}

function isSame(left: SeededContent | null, right: SeededContent | null): boolean {
  return left === null || right === null ? left === right : left.bytes.equals(right.bytes);
}
