import { fstatSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isNodeError, isToolError } from '../../base/errors.js';
import type { HeldDirectory } from '../platform/directory-access.js';
import { entryAt, type Walk } from './walk.js';

const mostTries = 200;

/**
 * Removes a temporary file and makes sure of it. Where no descriptor holds the folder, it may be out of sight for a
 * moment because someone swaps it; a folder that does not come back takes the file with it.
 */
export async function discardTemporary(path: string, isGone: () => boolean): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      rmSync(path, { force: true });
      if (isGone()) return;
    } catch (error) {
      if (!isToolError(error) && !isNodeError(error)) throw error;
    }
    await wait(1);
  }
}

/** True when an open file has no name left anywhere. */
export function hasNoName(descriptor: number): boolean {
  return fstatSync(descriptor, { bigint: true }).nlink === 0n;
}

export function isAbsent({ access }: Walk, directory: HeldDirectory, name: string): boolean {
  access.confirm(directory);
  const absent = entryAt(directory, name) === null;
  access.confirm(directory);
  return absent;
}
