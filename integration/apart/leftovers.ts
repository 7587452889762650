import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { leftoversOf } from '../../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import type { Machine } from '../program.js';

export const nothingLeft = { mounts: 0, folders: 0, processes: 0 };

/** Finds what a program left running or mounted. */
export function leftIn({ workspace, state }: Pick<Machine, 'workspace' | 'state'>) {
  return leftoversOf(workspace, state);
}

/** The ids of the sessions apart that wait on disk. */
export function waitingIn({ state }: Pick<Machine, 'state'>): string[] {
  const folder = join(state, 'apart');
  return existsSync(folder) ? readdirSync(folder) : [];
}
