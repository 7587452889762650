import { isNodeError, SettingsError, ToolError } from '../../base/errors.js';
import { readSmallFile } from './read-file.js';
import { replaceFile } from './replace-file.js';
import type { State } from './state.js';

/** A text of the user's own in the state folder, such as the global context file. */
export interface OwnTextFile {
  readonly path: string;
  /** Null when there is none. */
  read(): Promise<Uint8Array | null>;
  /** Puts the bytes in place if the file still is what is expected; `conflict` otherwise. */
  replace(bytes: Uint8Array, expected: Uint8Array | null, signal: AbortSignal): Promise<void>;
}

const MAX_BYTES = 1024 * 1024;

export function openOwnTextFile(
  state: Pick<State, 'pathOf' | 'exists' | 'make' | 'withLock'>,
  name: string,
): OwnTextFile {
  const path = state.pathOf(name);
  const read = async (): Promise<Uint8Array | null> =>
    (await state.exists()) ? readSmallFile(path, MAX_BYTES) : null;
  return {
    path,
    read: () => asToolError(read),
    replace: (bytes, expected, signal) =>
      asToolError(async () => {
        await state.make();
        await state.withLock(
          'own-text',
          async () => {
            if (!isSame(await read(), expected))
              throw new ToolError('conflict', `${path} was changed by someone else just now. Try again.`);
            await replaceFile(path, bytes);
          },
          signal,
        );
      }),
  };
}

function isSame(left: Uint8Array | null, right: Uint8Array | null): boolean {
  return left === null || right === null ? left === right : Buffer.compare(left, right) === 0;
}

/** Turns an error into a ToolError: a file in the way is here not a mistake in how the program was set up, but an answer to one call. */
async function asToolError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isFromSystem = isNodeError(error) && typeof error.errno === 'number';
    if (isFromSystem || error instanceof SettingsError)
      throw new ToolError('failed', error.message, { cause: error });
    throw error;
  }
}
