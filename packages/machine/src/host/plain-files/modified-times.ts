import { lstat } from 'node:fs';

const AT_ONCE = 64;

/**
 * When each file was last changed, in milliseconds, 0 for one that is gone. Only times are read, of thousands of
 * files at once: that is why it does not go through `host/files`, which walks to each by descriptor.
 */
export async function modifiedTimes(paths: readonly string[], signal: AbortSignal): Promise<Float64Array> {
  const times = new Float64Array(paths.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < paths.length) {
      signal.throwIfAborted();
      const index = next++;
      times[index] = await modifiedTime(paths[index]!);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return times;
}

function modifiedTime(path: string): Promise<number> {
  return new Promise((resolve) => {
    lstat(path, (error, stat) => resolve(error ? 0 : stat.mtimeMs));
  });
}
