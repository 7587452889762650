import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { CappedFile } from '../processes/output/capped-file.js';

/** The log of a job whose output does not pass through us: there is nothing to do but to read it. */
export function openLogOfOthers(path: string): CappedFile {
  const totalBytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    add: () => null,
    totalBytes,
    async read(from, maxBytes) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(maxBytes, totalBytes() - from)));
      const handle = await open(path, 'r');
      try {
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
        return { from, bytes: bytes.subarray(0, bytesRead) };
      } finally {
        await handle.close();
      }
    },
    close: async () => null,
  };
}
