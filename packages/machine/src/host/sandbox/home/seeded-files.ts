import { lstatSync, mkdirSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isNodeError, messageOf, ToolError } from '../../../base/errors.js';
import { foreignText } from '../../../base/sentences/foreign-text.js';
import { replaceFile } from '../../state/replace-file.js';
import type { OutsidePlace } from '../sandbox.js';

/** Tells which files of the home a program changed, and which changes could not be put in place. */
export interface SettledFiles {
  /** Changed, made or removed, as they were named. */
  kept: readonly string[];
  /** What could not be carried over, one sentence each. */
  problems: readonly string[];
}

/**
 * Files of the home that a program may change. A mount of a single file can't be replaced by renaming another over it,
 * as most programs do that write settings; so the program gets a copy in a folder of its own, and what it makes of the
 * copy is put in place when it has ended.
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

/** More is handed over by its folder. */
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

/** The program may have put a link in the place of the folder, which would lead to files of the host by the same name. */
function copiedContent(copy: string): SeededContent | null {
  const folder = dirname(copy);
  const real = realPathIfThere(folder);
  if (real === null) return null;
  if (real !== folder) throw new Error('a link stands in the place of its folder');
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

/** Null where there is nothing; a link or anything else that is no file is a mistake. */
function contentOf(path: string): SeededContent | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) throw new Error('it is no plain file any more');
  if (found.size > MOST_BYTES) throw new Error('it is larger than 64 MB');
  return { bytes: readFileSync(path), mode: found.mode & 0o777 };
}

function isSame(left: SeededContent | null, right: SeededContent | null): boolean {
  return left === null || right === null ? left === right : left.bytes.equals(right.bytes);
}
