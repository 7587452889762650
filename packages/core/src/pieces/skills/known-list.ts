import { isJsonObject } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { PieceFolder } from '../piece.js';
import { isSame, stampOfProgram, stampsOf } from '../stamps.js';
import { findSkills, type Skills } from './find-skills.js';
import { listSkills, type SkillList, type SkillListNeeds } from './list-skills.js';

/** A number of skills from which a look into their folders is felt at each start. */
const MANY = 200;
const SAVE_LIMIT_MS = 2_000;

export interface KnownListNeeds extends SkillListNeeds {
  state: Pick<State, 'readJson' | 'updateJson'>;
  clock: Pick<Clock, 'now'>;
}

type KnownList = Pick<SkillList, 'text' | 'problems'>;

/**
 * The list of skills for the model. Where there are many, the one of an earlier start is taken as long as the folders and the
 * files that it was made of are the same, so that a start reads none of the folders.
 */
export async function knownSkillList(
  folders: readonly PieceFolder[],
  { state, clock, room, bytesOf }: KnownListNeeds,
): Promise<{ skills: Skills; list: KnownList }> {
  const skills = findSkills(folders);
  const about = JSON.stringify({ program: stampOfProgram(), folders, room });
  const saved = await state.readJson('skill-list').catch(() => null);
  if (saved?.['about'] === about && isJsonObject(saved['stamps']) && isSame(saved['stamps']))
    return { skills, list: saved as unknown as KnownList };
  const list = await listSkills(skills, { room, bytesOf });
  if (list.count >= MANY) await save(list, { about, folders, state, clock }).catch(() => undefined);
  return { skills, list };
}

async function save(
  { text, problems, read }: SkillList,
  {
    about,
    folders,
    state,
    clock,
  }: Pick<KnownListNeeds, 'state' | 'clock'> & { about: string; folders: readonly PieceFolder[] },
): Promise<void> {
  const paths = [
    ...folders.map(({ path }) => path),
    ...read.flatMap((folder) => [folder, `${folder}/SKILL.md`]),
  ];
  const stamps = stampsOf(paths, clock.now());
  if (stamps === null) return;
  const entry = { about, text, problems, stamps };
  await state.updateJson('skill-list', () => JSON.parse(JSON.stringify(entry)), deadlineIn(SAVE_LIMIT_MS));
}
