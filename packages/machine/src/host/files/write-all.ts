import { write } from 'node:fs';
import { promisify } from 'node:util';

const writeAsync = promisify(write);

/** Written at once: small enough to notice an abort soon. */
const pieceBytes = 8 * 1024 * 1024;

export async function writeAll(
  descriptor: number,
  bytes: Uint8Array,
  { at, signal }: { at: number; signal?: AbortSignal },
): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    signal?.throwIfAborted();
    const length = Math.min(pieceBytes, bytes.byteLength - done);
    const { bytesWritten } = await writeAsync(descriptor, bytes, done, length, at + done);
    if (bytesWritten === 0) throw new Error('the file system takes no more');
    done += bytesWritten;
  }
}
