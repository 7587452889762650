import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '@toolwright/machine/base/errors.js';
import { readToolTest, type ToolTest } from './tool-test.js';

export interface FoundToolTest {
  path: string;
  test: ToolTest;
}

/** The test in the first of these files that is there; null when none is. Throws with the file when it is no test. */
export function findToolTest(paths: readonly string[]): FoundToolTest | null {
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) return null;
  try {
    return { path, test: readToolTest(readFileSync(path, 'utf8')) };
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}
