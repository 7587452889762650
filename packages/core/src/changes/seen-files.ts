/** One version of a file that the model was shown, or wrote. */
export interface SeenVersion {
  /** SHA-256 of the whole file, hex; absent where only a part of it was read. */
  hash?: string;
  /** The whole file, while it is small enough to be kept. */
  bytes?: Uint8Array;
}

/** What the model has seen of each file in this session. Paths are absolute and real. */
export interface SeenFiles {
  /** The model was shown this file, or a part of it. Without a version an earlier known one stands. */
  saw(path: string, version?: SeenVersion): void;
  /** The last version it is known to have seen; undefined when it has not seen the file. */
  lastSeen(path: string): SeenVersion | undefined;
}

export interface SeenFilesLimits {
  /** Files above this are remembered by hash only. */
  maxFileBytes?: number;
  /** All kept contents together; the longest unused go first. */
  maxTotalBytes?: number;
}

export function createSeenFiles(limits: SeenFilesLimits = {}): SeenFiles {
  const { maxFileBytes = 1024 * 1024, maxTotalBytes = 32 * 1024 * 1024 } = limits;
  const versions = new Map<string, SeenVersion>();
  let total = 0;

  function put(path: string, version: SeenVersion): void {
    total += (version.bytes?.byteLength ?? 0) - (versions.get(path)?.bytes?.byteLength ?? 0);
    versions.delete(path);
    versions.set(path, version);
  }

  function makeRoom(): void {
    for (const [path, { hash, bytes }] of versions) {
      if (total <= maxTotalBytes) return;
      if (!bytes) continue;
      versions.set(path, hash === undefined ? {} : { hash });
      total -= bytes.byteLength;
    }
  }

  return {
    saw(path, version = {}) {
      const { hash, bytes } = version;
      if (hash === undefined) {
        put(path, versions.get(path) ?? {});
        return;
      }
      put(path, bytes && bytes.byteLength <= maxFileBytes ? { hash, bytes } : { hash });
      makeRoom();
    },
    lastSeen: (path) => versions.get(path),
  };
}
