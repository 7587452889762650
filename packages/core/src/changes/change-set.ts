import type { FileDiff } from '../base/content.js';

/** Text or bytes by content hash; where the bytes are is the business of a `BlobSource`. */
export interface FileVersion {
  /** SHA-256 of the bytes, hex. */
  hash: string;
  size: number;
  /** Permission bits. */
  mode: number;
}

/** One file a call would change. Paths are absolute. */
export type FileChange =
  | { kind: 'create'; path: string; after: FileVersion }
  | { kind: 'modify'; path: string; before: FileVersion; after: FileVersion }
  | { kind: 'delete'; path: string; before: FileVersion | { target: string } }
  | { kind: 'symlink'; path: string; before: FileVersion | { target: string } | null; target: string }
  | { kind: 'mode'; path: string; hash: string; before: number; after: number };

/** What a call would do to files. Plain data; planned once, then shown, checked, committed, inverted. */
export interface ChangeSet {
  v: 1;
  id: string;
  changes: FileChange[];
  /** Directories the commit made, outermost first: undo removes those left empty. */
  directories: string[];
}

/** Where the bytes of a version can be read. */
export interface BlobSource {
  read(hash: string): Promise<Uint8Array>;
}

/** A change set with its bytes and what the person is shown of it. */
export interface PlannedChanges {
  changeSet: ChangeSet;
  blobs: BlobSource;
  diff: FileDiff;
}
