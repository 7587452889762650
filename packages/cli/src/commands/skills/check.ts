import { basename, dirname, resolve } from 'node:path';
import {
  describePieceProblem,
  didYouMean,
  findSkills,
  formatBytes,
  nearest,
  type PieceProblem,
  readSkill,
  type Skill,
} from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printLine } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { pieceFolders } from '../../setup/pieces.js';
import { loadSetup } from '../../setup/runtime.js';

/** Reads one skill or all of them; ends with 1 when one can't be used. */
export async function check(target: string | undefined, args: Arguments): Promise<number> {
  const found = await wanted(target, args);
  for (const skill of found) printLine(describe(skill));
  if (found.length === 0) printLine('There are no skills here.');
  return found.some((skill) => 'problem' in skill) ? exitCodes.failure : exitCodes.done;
}

async function wanted(target: string | undefined, args: Arguments): Promise<(Skill | PieceProblem)[]> {
  if (target?.includes('/')) return [await skillAt(resolve(target.replace(/\/SKILL\.md$/, '')))];
  const skills = findSkills(pieceFolders('skills', await loadSetup(args), process.env));
  if (target === undefined) {
    const { skills: usable, problems } = await skills.readAll(abortOnInterrupt());
    return [...usable, ...problems];
  }
  const skill = await skills.read(target);
  if (skill) return [skill];
  const names = (await skills.look()).places.map(({ name }) => name);
  throw new UsageError(
    `There is no skill ${target} here. ${didYouMean(nearest(target, names)) || 'toolwright skills list shows them; a folder is named with a slash: ./my-skill'}`,
  );
}

function skillAt(folder: string): Promise<Skill | PieceProblem> {
  const path = dirname(folder);
  return readSkill({ name: basename(folder), folder, from: { path, shown: path } });
}

function describe(skill: Skill | PieceProblem): string {
  if ('problem' in skill) return `off  ${describePieceProblem(skill)}`;
  const { name, description, body, folder, allowedTools, unused = [] } = skill;
  const granted = allowedTools ? ' Its allowed-tools grant nothing here.' : '';
  return `ok   ${name}: ${description.length} characters of description, ${formatBytes(Buffer.byteLength(body))} of instructions, in ${folder}.${granted}${unused.map(({ what, why }) => ` ${what} is not used here: ${why}.`).join('')}`;
}
