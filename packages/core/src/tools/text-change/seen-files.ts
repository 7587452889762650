/** A version of a file that the model was shown, or wrote. */
export interface SeenVersion {
  /** SHA-256 of the whole file, hex; absent where only a part of it was read. */
  hash?: string;
  /** The whole file, while it is small enough to be kept. */
  bytes?: Uint8Array;
  /** The text that the model read, where its own commands have changed the file since. */
  read?: Uint8Array;
}

/** A change that the model's own command made to a file; without `after` the file is gone. */
export interface OwnChange {
  /** The hash of what the command found. */
  before: string;
  after: Pick<SeenVersion, 'hash' | 'bytes'> | null;
}

/** A text in the user's editor that is not what the disk holds. */
export interface UnsavedText {
  /** The hash of the file when the editor showed the text; null where there was none. */
  onDisk: string | null;
  text: string;
}

/** Versions of files that the model has seen in this session. Paths are absolute and real. */
export interface SeenFiles {
  /** The model was shown this file, or a part of it. Without a version an earlier known one stands. */
  saw(path: string, version?: Pick<SeenVersion, 'hash' | 'bytes'>): void;
  /**
   * A command of the model itself changed the file. What it left counts as seen if the model knew what was there before;
   * otherwise others have changed the file too, and what was seen of it stands.
   */
  changedByOwn(path: string, change: OwnChange): void;
  /** The editor shows the user another text than the disk holds; null: it no longer does. */
  setUnsaved(path: string, unsaved: UnsavedText | null): void;
  unsaved(path: string): UnsavedText | undefined;
  /** The last version it is known to have seen; undefined when it has not seen the file. */
  lastSeen(path: string): SeenVersion | undefined;
  /** The files whose whole content it has seen lately, by hash. */
  latest(): [path: string, hash: string][];
}

export interface SeenFilesLimits {
  /** Files above this are remembered by hash only. */
  maxFileBytes?: number;
  /** The limit for all kept contents together; the longest unused go first. */
  maxTotalBytes?: number;
}

const MOST_TOLD = 1_000;

export function createSeenFiles(limits: SeenFilesLimits = {}): SeenFiles {
  const { maxFileBytes = 1024 * 1024, maxTotalBytes = 32 * 1024 * 1024 } = limits;
  const { put, makeRoom, get, latest } = rememberVersions(maxTotalBytes);
  const unsavedTexts = new Map<string, UnsavedText>();
  const bounded = (bytes: Uint8Array | undefined): bytes is Uint8Array =>
    bytes !== undefined && bytes.byteLength <= maxFileBytes;

  return {
    saw(path, version = {}) {
      const { hash, bytes } = version;
      if (hash === undefined) {
        put(path, get(path) ?? {});
        return;
      }
      put(path, bounded(bytes) ? { hash, bytes } : { hash });
      makeRoom();
    },
    changedByOwn(path, { before, after }) {
      const known = get(path);
      if (!known && !after) return;
      const { hash, bytes } = after ?? {};
      if (known?.hash !== before || hash === before) return put(path, known ?? {});
      if (hash === undefined) return put(path, {});
      const read = known.read ?? known.bytes;
      put(path, { hash, bytes: bounded(bytes) ? bytes : undefined, read });
      makeRoom();
    },
    setUnsaved(path, unsaved) {
      if (unsaved) unsavedTexts.set(path, unsaved);
      else unsavedTexts.delete(path);
    },
    unsaved: (path) => unsavedTexts.get(path),
    lastSeen: get,
    latest,
  };
}

/** Versions by path, the latest used last. */
function rememberVersions(maxTotalBytes: number) {
  const versions = new Map<string, SeenVersion>();
  let total = 0;
  return {
    get: (path: string): SeenVersion | undefined => versions.get(path),
    latest: () =>
      [...versions]
        .slice(-MOST_TOLD)
        .flatMap(([path, { hash }]): [string, string][] => (hash === undefined ? [] : [[path, hash]])),
    put(path: string, version: SeenVersion): void {
      total += sizeOf(version) - sizeOf(versions.get(path));
      versions.delete(path);
      versions.set(path, version);
    },
    makeRoom(): void {
      for (const [path, version] of versions) {
        if (total <= maxTotalBytes) return;
        const { hash } = version;
        total -= sizeOf(version);
        versions.set(path, { hash });
      }
    },
  };
}

function sizeOf({ bytes, read }: SeenVersion = {}): number {
  return (bytes?.byteLength ?? 0) + (read?.byteLength ?? 0);
}
