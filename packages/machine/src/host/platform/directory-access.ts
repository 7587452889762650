import type { BigIntStats } from 'node:fs';

/** A directory that was checked once. A descriptor or a second check keeps that check true while it is used. */
export interface HeldDirectory {
  /** The path, with no link on it. */
  readonly realPath: string;
  /**
   * A path for file system calls that names an entry of this directory; with an empty name, a path to append one to.
   */
  at(name: string): string;
  close(): void;
}

/** An entry and the file that was seen there. */
export interface NamedEntry {
  name: string;
  stat: Pick<BigIntStats, 'dev' | 'ino'>;
}

export type Entered = HeldDirectory | 'link' | 'missing' | 'not-directory';

/** Walks paths without following links unseen, in the way of one operating system. */
export interface DirectoryAccess {
  /** The top of an absolute path: `/`, or a drive. */
  top(path: string): HeldDirectory;
  /** Enters a subdirectory, never through a link. */
  enter(parent: HeldDirectory, name: string): Entered;
  /** A short cut to a directory that lies exactly at this path, without links; null if that can't be shown. */
  holdExactly(path: string): HeldDirectory | null;
  /**
   * Called after an entry was opened, read or made, before the result is trusted: throws when the directory is no
   * longer the one that was walked, or the entry is not the given one.
   */
  confirm(directory: HeldDirectory, entry?: NamedEntry): void;
  /** The directory's path at this moment, for rules on what may be changed there. */
  presentPath(directory: HeldDirectory): string;
  /** A path that opens an open file again, if the system has one. */
  reopenPath(descriptor: number): string | null;
}
