/**
 * The only door to workspace files. Every path is confined to the roots, component by component, at the
 * moment it is used; only regular files are opened. Failures are `ToolError`s: `not_found`,
 * `outside_workspace`, `conflict`, `too_large`, `denied`, `failed`.
 */

export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export interface FileStat {
  kind: FileKind;
  size: number;
  /** Permission bits only. */
  mode: number;
  mtimeMs: number;
  /** Hard links to the same inode. */
  links: number;
  device: bigint;
  inode: bigint;
}

export interface DirectoryEntry {
  /** Bytes that are not UTF-8 are shown as `\xNN`; such an entry can be seen, not opened. */
  name: string;
  nameIsUtf8: boolean;
  kind: FileKind;
  size: number;
  mtimeMs: number;
}

export interface OpenFile {
  /** Where the file really is, after links. */
  readonly realPath: string;
  readonly stat: FileStat;
  /** Fewer bytes than asked only at the end of the file. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** The same into a buffer that can be used again, for walking through a large file; returns the bytes read. */
  readInto(buffer: Uint8Array, offset: number, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

export interface FileContent {
  /** Not to be changed in place. */
  bytes: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  hash: string;
  stat: FileStat;
  realPath: string;
}

/** What must be there for a change to go ahead; anything else is a conflict. */
export type Expected =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; mode?: number }
  | { kind: 'symlink'; target: string }
  /** For a change of the mode only. */
  | { kind: 'directory'; mode?: number };

export interface ChangeOptions {
  signal?: AbortSignal;
  /**
   * An absolute path in the state folder that receives the file which a change replaces or removes: as a hard link
   * to the old inode where that is safe, else as a clone or copy. It is there before the change is. A path that is
   * taken must hold the same bytes already.
   */
  saveReplaced?: string;
  /** The path is the real one: a link on the way or at its end, put there since, is a conflict and not followed. */
  exactly?: boolean;
  /** Name of the temporary file beside the target, so that whoever journals the write can clean up after a crash. */
  temporaryName?: string;
  /** False leaves the new name to a later `flush` of its folder, which is much faster for many changes. */
  flush?: boolean;
}

export interface WriteOptions extends ChangeOptions {
  expect: Expected;
  /** SHA-256 of the bytes, hex, where it is known; it makes reading them again faster. */
  hash?: string;
  /** Permission bits; without it an existing file keeps its own and a new one gets the umask's. */
  mode?: number;
  /** Awaited before anything that is there is touched; called when the new bytes go to the disk, beside that. */
  beforeReplace?: () => Promise<void>;
  /** Awaited before a file is overwritten in place (it has other hard links, say), which a crash can tear. */
  beforeInPlace?: () => Promise<void>;
}

export interface Files {
  /** What is at the path, links followed inside the roots; null when nothing is. */
  stat(path: string): Promise<FileStat | null>;
  /** The entry itself, a last link not followed. */
  lstat(path: string): Promise<FileStat | null>;
  readLink(path: string): Promise<string>;
  /** The path after links; of a missing file, where it would be created. */
  realPath(path: string): Promise<string>;
  open(path: string, signal?: AbortSignal): Promise<OpenFile>;
  /** The whole file; `too_large` above `maxBytes` (64 MB unless told). */
  read(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<FileContent>;
  /** The whole file decoded (any encoding `base/text-codec` knows); `failed` when it is not text. */
  readText(path: string, signal?: AbortSignal): Promise<string>;
  /** Sorted by name. Files whose content may not be read are listed too. */
  list(path: string, signal?: AbortSignal): Promise<DirectoryEntry[]>;

  /** Why the file at the path would be overwritten where it is and not replaced, for people; null when it would not. */
  whyInPlace(path: string): Promise<string | null>;

  /** Makes missing directories; returns those it made, outermost first. */
  makeDirectory(path: string): Promise<string[]>;
  /** Removes a directory if it is empty; false when it is not, or is not there. */
  removeEmptyDirectory(path: string): Promise<boolean>;
  /**
   * Atomically puts the bytes at the path, whose folder must exist. A link at the path is followed, unless the link
   * itself is what is expected: then the file takes its place. A file with other hard links, one whose owner could not
   * be kept and one that can't be replaced in its folder are written in place; that alone is not atomic.
   */
  write(path: string, bytes: Uint8Array, options: WriteOptions): Promise<FileStat>;
  remove(path: string, expect: Expected, options?: ChangeOptions): Promise<void>;
  makeSymlink(path: string, target: string, expect: Expected, options?: ChangeOptions): Promise<void>;
  setMode(path: string, mode: number, expect: Expected, options?: ChangeOptions): Promise<void>;
  /** Makes the names in a folder survive a power cut. Nothing to do when there is no such folder any more. */
  flush(directory: string): Promise<void>;
}
