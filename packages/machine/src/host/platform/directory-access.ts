import type { BigIntStats } from 'node:fs';

/** A directory that was checked once and is used by whatever keeps that check true: a descriptor, or a second look. */
export interface HeldDirectory {
  /** Where it is, with no link on the way. */
  readonly realPath: string;
  /** A path for file system calls that names an entry of this directory; of no name, one to append a name to. */
  at(name: string): string;
  close(): void;
}

/** An entry and the file it was seen to be. */
export interface NamedEntry {
  name: string;
  stat: Pick<BigIntStats, 'dev' | 'ino'>;
}

export type Entered = HeldDirectory | 'link' | 'missing' | 'not-directory';

/** How one operating system lets a path be walked without following links unseen. */
export interface DirectoryAccess {
  /** The top of an absolute path: `/`, or a drive. */
  top(path: string): HeldDirectory;
  /** One component down, never through a link. */
  enter(parent: HeldDirectory, name: string): Entered;
  /** A quick way to a directory that lies exactly at this path, no link on the way; null when that can't be shown. */
  holdExactly(path: string): HeldDirectory | null;
  /**
   * Called after an entry was opened, read or made, before the result is believed: throws when the directory
   * is no longer the one that was walked, or the entry is not the one given.
   */
  confirm(directory: HeldDirectory, entry?: NamedEntry): void;
  /** Where the directory is at this moment, for rules on what may be changed there. */
  presentPath(directory: HeldDirectory): string;
  /** A path that opens the same open file again, where there is one. */
  reopenPath(descriptor: number): string | null;
}
