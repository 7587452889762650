import { once } from '@toolwright/machine/base/once.js';
import { lookAtSync, namesIn, realPathOf } from '@toolwright/machine/host/state/inspect-files.js';
import type { PieceFolder, PieceProblem } from '../piece.js';
import { readSkill, SKILL_NAME, type Skill, type SkillPlace, unusableName } from './read-skill.js';

/** The skills that the folders have, by the names in them. */
export interface FoundSkills {
  /** The places of skills; none of the skills is read yet. */
  places: readonly SkillPlace[];
  /** Pieces that are off for their name. */
  problems: readonly PieceProblem[];
}

/** Skills of one session. Folders and files are read when they are asked for: of ten thousand skills a few are ever used. */
export interface Skills {
  /** Looks into the folders, once. */
  look(): Promise<FoundSkills>;
  read(name: string): Promise<Skill | PieceProblem | null>;
  /** Reads all of them. */
  readAll(signal: AbortSignal): Promise<{ skills: Skill[]; problems: PieceProblem[] }>;
}

/** The skills of folders. A folder that is reached by two ways counts once. */
export function findSkills(folders: readonly PieceFolder[]): Skills {
  const found = once(() => lookInto(folders));
  return {
    look: async () => {
      const { places, problems } = await found();
      return { places: [...places.values()], problems };
    },
    async read(name) {
      const place = (await found()).places.get(name);
      return place ? readSkill(place) : null;
    },
    readAll: async (signal) => readAll(await found(), signal),
  };
}

interface SkillsByName {
  places: Map<string, SkillPlace>;
  problems: PieceProblem[];
}

async function lookInto(folders: readonly PieceFolder[]): Promise<SkillsByName> {
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
      if (from.only?.includes(name) === false) continue;
      const place = { name, folder: `${from.path}/${name}`, from };
      // A file beside the skills, such as a README, has a dot in its name and is none.
      if (name.includes('.')) {
        if (!name.startsWith('.') && lookAtSync(`${place.folder}/SKILL.md`) !== null)
          problems.push({ file: place.folder, problem: unusableName(name) });
        continue;
      }
      const earlier = places.get(name);
      if (!earlier) places.set(name, place);
      else problems.push(...(await collision(earlier, place)));
    }
  }
  return { places, problems };
}

async function collision(earlier: SkillPlace, { name, folder }: SkillPlace): Promise<PieceProblem[]> {
  if ((await realPathOf(earlier.folder)) === (await realPathOf(folder))) return [];
  const problem = `the name ${name} is taken by the skill in ${earlier.folder}; rename one of them`;
  return [{ file: folder, problem }];
}

const READ_AT_ONCE = 200;

async function readAll(
  { places, problems: taken }: SkillsByName,
  signal: AbortSignal,
): ReturnType<Skills['readAll']> {
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
}

/** True if a skill may have this name. */
export function isSkillName(name: string): boolean {
  return SKILL_NAME.test(name) && name.length <= 64;
}
