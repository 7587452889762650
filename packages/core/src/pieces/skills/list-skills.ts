import { plural } from '@toolwright/machine/base/amounts.js';
import type { PieceProblem } from '../piece.js';
import type { Skills } from './find-skills.js';

/** Skills as the model reads of them before it has loaded one. */
export interface SkillList {
  text: string;
  /** Pieces that are off for their name, and problems of those that were read for the list. */
  problems: PieceProblem[];
  /** The number of them. */
  count: number;
  /** The folders of those that were read for the list. */
  read: string[];
}

export interface SkillListNeeds {
  /** Bytes for the list. */
  room: number;
  /** Bytes that a text takes where it is sent. */
  bytesOf(text: string): number;
}

/** A list without any description can be as short as this. */
const REST_BYTES = 112;
const LONGEST_LINE = 160;

/** Names with descriptions as far as there is room, then names, then how many more a search can find. */
export async function listSkills(skills: Skills, { room, bytesOf }: SkillListNeeds): Promise<SkillList> {
  const { places, problems: taken } = await skills.look();
  const broken: PieceProblem[] = [];
  const lines: string[] = [];
  let left = room - REST_BYTES;
  let next = 0;
  for (; next < places.length; next++) {
    const skill = await skills.read(places[next]!.name);
    if (skill === null) continue;
    if ('problem' in skill) {
      broken.push(skill);
      if (broken.length > MOST_BROKEN) break;
      continue;
    }
    if (skill.isForUserOnly) continue;
    const line = bounded(`- ${skill.name}: ${skill.description}`);
    const bytes = bytesOf(`${line}\n`);
    if (bytes > left) break;
    left -= bytes;
    lines.push(line);
  }
  const rest = namesOfRest(
    places.slice(next).map(({ name }) => name),
    Math.min(left, MOST_FOR_NAMES),
  );
  return {
    text: [...lines, ...rest].join('\n'),
    problems: [...taken, ...broken],
    count: places.length,
    read: places.slice(0, next + 1).map(({ folder }) => folder),
  };
}

/** A folder of thousands of broken ones is not read through at the start. */
const MOST_BROKEN = 20;

function bounded(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}

const MOST_FOR_NAMES = 192;

function namesOfRest(names: readonly string[], room: number): string[] {
  if (names.length === 0) return [];
  const shown: string[] = [];
  let left = room;
  for (const name of names) {
    left -= name.length + 2;
    if (left < 0) break;
    shown.push(name);
  }
  const more = names.length - shown.length;
  const unnamed = more === 0 ? [] : [plural(more, shown.length > 0 ? 'more skill' : 'skill')];
  return [`Without a description here: ${[...shown, ...unnamed].join(', ')}. Give a query to search them.`];
}
