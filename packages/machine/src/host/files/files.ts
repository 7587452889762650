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
  /** Bytes that are not UTF-8 are shown as `\xNN`; such an entry can be listed, not opened. */
  name: string;
  nameIsUtf8: boolean;
  kind: FileKind;
  size: number;
  mtimeMs: number;
}

export interface OpenFile {
  /** The path after links. */
  readonly realPath: string;
  readonly stat: FileStat;
  /** Gives fewer bytes than asked for only at the end of the file. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Reads into a reusable buffer, for walking through a large file; returns the number of bytes read. */
  readInto(buffer: Uint8Array, offset: number, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

export interface FileContent {
  /** Must not be changed in place. */
  bytes: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  hash: string;
  stat: FileStat;
  realPath: string;
}

/** The state a change requires; any other is a conflict. */
export type Expected =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; mode?: number }
  | { kind: 'symlink'; target: string }
  /** For changes of the mode only. */
  | { kind: 'directory'; mode?: number };

export interface ChangeOptions {
  signal?: AbortSignal;
  /**
   * An absolute path in the state folder that receives the file which a change replaces or removes: as a hard link to
   * the old inode where that is safe, else as a clone or copy. It exists before the change does. If the path is taken,
   * it must hold the same bytes.
   */
  saveReplaced?: string;
  /** The path must be the real one: a link put on it or at its end since then is a conflict and is not followed. */
  exactly?: boolean;
  /** Name of the temporary file beside the target, so that the journal can clean up after a crash. */
  temporaryName?: string;
  /** False leaves flushing the new name to a later `flush` of its folder, which is much faster for many changes. */
  flush?: boolean;
}

export interface WriteOptions extends ChangeOptions {
  expect: Expected;
  /** SHA-256 of the bytes, hex, if known; makes reading them again faster. */
  hash?: string;
  /** Permission bits. Without them an existing file keeps its own and a new one gets the umask's. */
  mode?: number;
  /** Work under way, such as a journal's, that must be done before anything existing is touched; its failure ends the write. */
  waitFor?: Promise<void>;
  /**
   * Awaited before a file is overwritten in place (because it has other hard links, for example), which a crash can
   * tear.
   */
  beforeInPlace?: () => Promise<void>;
}

export interface Files {
  /** The entry at the path, links followed inside the roots; null when there is none. */
  stat(path: string): Promise<FileStat | null>;
  /** The entry itself: a last link is not followed. */
  lstat(path: string): Promise<FileStat | null>;
  readLink(path: string): Promise<string>;
  /** The path after links; for a missing file, the path it would be created at. */
  realPath(path: string): Promise<string>;
  open(path: string, signal?: AbortSignal): Promise<OpenFile>;
  /** The whole file; `too_large` above `maxBytes` (default: 64 MB). */
  read(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<FileContent>;
  /** The whole file decoded (any encoding `base/text-codec` knows); `failed` when it is not text. */
  readText(path: string, signal?: AbortSignal): Promise<string>;
  /** Sorted by name. Files whose content may not be read are listed too. */
  list(path: string, signal?: AbortSignal): Promise<DirectoryEntry[]>;

  /**
   * The reason why the file would be overwritten in place instead of replaced, as the user reads it; null when it
   * would be replaced.
   */
  whyInPlace(path: string): Promise<string | null>;

  /** Makes missing directories; returns those it made, outermost first. */
  makeDirectory(path: string): Promise<string[]>;
  /** Removes an empty directory; false when it is not empty or not there. */
  removeEmptyDirectory(path: string): Promise<boolean>;
  /**
   * Puts the bytes at the path atomically; its folder must exist. A link at the path is followed, unless the link
   * itself is expected: then the file replaces it. A file with other hard links, one whose owner could not be kept and
   * one that can't be replaced in its folder are written in place, which is not atomic.
   */
  write(path: string, bytes: Uint8Array, options: WriteOptions): Promise<FileStat>;
  remove(path: string, expect: Expected, options?: ChangeOptions): Promise<void>;
  makeSymlink(path: string, target: string, expect: Expected, options?: ChangeOptions): Promise<void>;
  setMode(path: string, mode: number, expect: Expected, options?: ChangeOptions): Promise<void>;
  /** Makes the names in a folder survive a power cut. Does nothing when the folder is gone. */
  flush(directory: string): Promise<void>;
}

interface KnownContent {
  hash: string;
  bytes: Uint8Array;
}

/**
 * Contents that were read or written lately. Comparing a file with them tells as surely as hashing whether it is
 * unchanged: without it an edit of a 5 MB file takes 20 % longer.
 */
export interface KnownBytes {
  /** `path` is the real one. */
  remember(path: string, content: KnownContent): void;
  /** The content with this hash, while it is still in use somewhere. */
  recall(hash: string): Uint8Array | undefined;
  /** The content of a file when it was last read or written; it may have changed since. */
  lastAt(path: string): KnownContent | undefined;
}

const mostKnown = 32;
const smallestKnown = 256 * 1024;
const largestHeld = 16 * 1024 * 1024;

export function createKnownBytes(): KnownBytes {
  const known = new Map<string, WeakRef<Uint8Array>>();
  /**
   * Only one file, because edits of a large one follow each other. Without it each edit leaves two copies to collect.
   */
  let last: { path: string; content: KnownContent } | undefined;
  return {
    remember(path, content) {
      const { hash, bytes } = content;
      if (last?.path === path) last = undefined;
      if (bytes.byteLength < smallestKnown) return;
      if (bytes.byteLength <= largestHeld) last = { path, content };
      known.delete(hash);
      known.set(hash, new WeakRef(bytes));
      for (const oldest of known.keys()) {
        if (known.size <= mostKnown) break;
        known.delete(oldest);
      }
    },
    recall: (hash) => known.get(hash)?.deref(),
    lastAt: (path) => (last?.path === path ? last.content : undefined),
  };
}
