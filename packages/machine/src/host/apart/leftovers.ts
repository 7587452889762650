import { join } from 'node:path';
import { messageOf } from '../../base/errors.js';
import { mountsBelow } from '../platform/directory-access.js';
import { namesIn } from '../state/inspect-files.js';
import type { Locks } from '../state/locks.js';
import type { StateFolder } from '../state/state-folder.js';
import { readAbout } from './about-apart.js';

/** Names of folders that are being made or removed. */
export const UNFINISHED = /^(.+)\.(?:new|removed)$/;

const LOCK = /^apart-(.+)\.lock$/;

export function lockOf(id: string): string {
  return `apart-${id}`;
}

interface LeftoversNeeds {
  state: StateFolder & Pick<Locks, 'owner'>;
  /** The folder of all sessions apart. */
  parent: string;
  /** The folders in it. */
  names: readonly string[];
}

/** Sentences about what a program left that was killed, or that nobody can use. */
export async function leftoversOf(needs: LeftoversNeeds): Promise<string[]> {
  const { state, parent, names } = needs;
  const told: string[] = [];
  for (const id of await unfinishedIn(needs))
    told.push(
      `The session apart ${id} was left half made or half removed. toolwright apart list finishes that.`,
    );
  for (const name of names.filter((each) => !UNFINISHED.test(each))) {
    const path = join(parent, name);
    const problem = await readAbout(path).then(() => null, messageOf);
    if (problem !== null)
      told.push(`${problem} What was changed is in ${path}; toolwright apart drop ${name} removes it.`);
    else if (
      (await namesIn(state.pathOf('locks'))).includes(`${lockOf(name)}.lock`) &&
      !(await state.owner(lockOf(name)))
    )
      told.push(
        `The program that worked in the session apart ${name} was killed. Nothing is lost: toolwright apart show ${name}`,
      );
  }
  for (const mount of mountsBelow(parent)) told.push(`A file system is mounted at ${mount}. Unmount it.`);
  return told;
}

/** Ids of folders that a killed program had begun to make or to remove, and of locks without a folder. */
export async function unfinishedIn({ state, names }: LeftoversNeeds): Promise<string[]> {
  const locks = (await namesIn(state.pathOf('locks'))).flatMap((name) => LOCK.exec(name)?.[1] ?? []);
  const ids = [
    ...names.flatMap((name) => UNFINISHED.exec(name)?.[1] ?? []),
    ...locks.filter((id) => !names.includes(id)),
  ];
  const found: string[] = [];
  for (const id of new Set(ids)) if (!(await state.owner(lockOf(id)))) found.push(id);
  return found;
}
