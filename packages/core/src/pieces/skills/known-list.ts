import { isJsonObject } from '@toolwright/machine/base/json.js';
import { deadlineIn } from '@toolwright/machine/host/deadline.js';
import type { Clock } from '@toolwright/machine/host/host.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { State } from '@toolwright/machine/host/state/state.js';
import type { PieceFolder } from '../piece.js';
import { findSkills, type Skills } from './find-skills.js';
import { listSkills, type SkillList, type SkillListNeeds } from './list-skills.js';

/** A number of skills from which a look into their folders is felt at each start. */
const MANY = 200;
/** A folder that was changed this lately may change once more within the same tick of its clock. */
const SETTLED_MS = 2_000;
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
  const about = JSON.stringify({ folders, room });
  const saved = await state.readJson('skill-list').catch(() => null);
  if (saved?.['about'] === about && isJsonObject(saved['stamps']) && isSame(saved['stamps']))
    return { skills, list: saved as unknown as KnownList };
  const list = await listSkills(skills, { room, bytesOf });
  if (list.count >= MANY) await save(list, { about, folders, state, clock }).catch(() => undefined);
  return { skills, list };
}

function isSame(stamps: Record<string, unknown>): boolean {
  return Object.entries(stamps).every(([path, stamp]) => stampOf(path).stamp === stamp);
}

/** Changes with every entry that is added, removed or renamed in a folder, and with every write to a file. */
function stampOf(path: string): { stamp: string; changedMs: number } {
  const found = lookAtSync(path);
  if (!found) return { stamp: 'none', changedMs: 0 };
  const { identity, size, changedMs } = found;
  return { stamp: `${identity} ${size} ${changedMs}`, changedMs };
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
  const stamps = paths.map((path) => [path, stampOf(path)] as const);
  if (stamps.some(([, { changedMs }]) => clock.now() - changedMs < SETTLED_MS)) return;
  const entry = {
    about,
    text,
    problems,
    stamps: Object.fromEntries(stamps.map(([path, { stamp }]) => [path, stamp])),
  };
  await state.updateJson('skill-list', () => JSON.parse(JSON.stringify(entry)), deadlineIn(SAVE_LIMIT_MS));
}
