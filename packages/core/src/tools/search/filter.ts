import { relative } from 'node:path';
import { parseGlob } from '@toolwright/machine/base/patterns/glob.js';
import type { SearchPlace } from './place.js';

/** Decides which files of a place are searched. */
export interface FileFilter {
  fits(path: string, place: SearchPlace): boolean;
  readonly nameSketches: readonly string[];
}

/**
 * A pattern without a slash is about the name alone; with one it may start from the searched folder, from the root
 * or be absolute, since models write all three. A leading `!` turns it round.
 */
export function parseFilter(pattern: string): FileFilter | { problem: string } {
  const isExclusion = pattern.startsWith('!');
  const glob = parseGlob(isExclusion ? pattern.slice(1) : pattern, {
    caseSensitive: false,
    nameAtAnyDepth: true,
  });
  if ('problem' in glob) return glob;
  const fits = (path: string, { path: folder, root }: SearchPlace): boolean =>
    glob.fits(relative(folder, path)) || glob.fits(relative(root, path)) || glob.fits(path);
  return {
    fits: isExclusion ? (path, place) => !fits(path, place) : fits,
    nameSketches: isExclusion ? [] : glob.nameSketches,
  };
}
