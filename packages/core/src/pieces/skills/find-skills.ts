import { namesIn, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import type { PieceFolder, PieceProblem } from '../piece.js';
import { readSkill, SKILL_NAME, type Skill, type SkillPlace } from './read-skill.js';

/** Skills of one session. Files are read when they are asked for: of ten thousand skills a few are ever used. */
export interface Skills {
  /** By name; nothing of them is read yet. */
  places: readonly SkillPlace[];
  /** Pieces that are off for their name. */
  problems: readonly PieceProblem[];
  read(name: string): Promise<Skill | PieceProblem | null>;
  /** Reads all of them. */
  readAll(signal: AbortSignal): Promise<{ skills: Skill[]; problems: PieceProblem[] }>;
}

/** Looks into the folders only. A folder that is reached by two ways counts once. */
export async function findSkills(folders: readonly PieceFolder[]): Promise<Skills> {
  const places = new Map<string, SkillPlace>();
  const problems: PieceProblem[] = [];
  const visited = new Set<string>();
  for (const from of folders) {
    const names = await namesIn(from.path);
    if (names.length === 0) continue;
    const real = await realPathOf(from.path);
    if (visited.has(real) && !from.only) continue;
    visited.add(real);
    for (const name of names) {
      // A file beside the skills, such as a README, has a dot in its name and is none.
      if (name.includes('.') || from.only?.includes(name) === false) continue;
      const place = { name, folder: `${from.path}/${name}`, from };
      const earlier = places.get(name);
      if (!earlier) places.set(name, place);
      else problems.push(...(await collision(earlier, place)));
    }
  }
  return { places: [...places.values()], problems, ...readers(places, problems) };
}

async function collision(earlier: SkillPlace, { name, folder }: SkillPlace): Promise<PieceProblem[]> {
  if ((await realPathOf(earlier.folder)) === (await realPathOf(folder))) return [];
  const problem = `the name ${name} is taken by the skill in ${earlier.folder}; rename one of them`;
  return [{ file: folder, problem }];
}

const READ_AT_ONCE = 200;

function readers(
  places: ReadonlyMap<string, SkillPlace>,
  taken: readonly PieceProblem[],
): Pick<Skills, 'read' | 'readAll'> {
  return {
    async read(name) {
      const place = places.get(name);
      return place ? readSkill(place) : null;
    },
    async readAll(signal) {
      const skills: Skill[] = [];
      const problems: PieceProblem[] = [...taken];
      for (const [index, place] of [...places.values()].entries()) {
        // Reading is done without a thread, so others get their turn here.
        if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        const skill = await readSkill(place);
        if ('problem' in skill) problems.push(skill);
        else skills.push(skill);
      }
      return { skills, problems };
    },
  };
}

/** Whether a skill may have this name. */
export function isSkillName(name: string): boolean {
  return SKILL_NAME.test(name) && name.length <= 64;
}
