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

/** A limit for the list: all requests carry it, and the first one is to stay below 12 kB with it. */
const LIST_BYTES = 768;
const NAMES_BYTES = 192;
const LONGEST_LINE = 160;

/** Names with descriptions as far as there is room, then names, then how many more a search can find. */
export async function listSkills(skills: Skills): Promise<SkillList> {
  const { places, problems: taken } = await skills.look();
  const broken: PieceProblem[] = [];
  const lines: string[] = [];
  let room = LIST_BYTES;
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
    if (Buffer.byteLength(line) > room) break;
    room -= Buffer.byteLength(line) + 1;
    lines.push(line);
  }
  const rest = namesOfRest(places.slice(next).map(({ name }) => name));
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

function namesOfRest(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown: string[] = [];
  let room = NAMES_BYTES;
  for (const name of names) {
    room -= name.length + 2;
    if (room < 0) break;
    shown.push(name);
  }
  const left = names.length - shown.length;
  const more = left === 0 ? '' : ` and ${plural(left, 'more skill')}`;
  return [`Without a description here: ${shown.join(', ')}${more}. Give a query to search them.`];
}
