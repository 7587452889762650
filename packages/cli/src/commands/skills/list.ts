import { describePieceProblem, findSkills, type Skill } from '@toolwright/core/front-end';
import { describeSkills } from '../../actions/describe-skills.js';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { pieceFolders } from '../../setup/pieces.js';
import { loadSetup } from '../../setup/runtime.js';

export async function list(args: Arguments): Promise<number> {
  const signal = abortOnInterrupt();
  const skills = findSkills(pieceFolders('skills', await loadSetup(args), process.env));
  if (!args.switches.has('json')) {
    const { places, problems } = await skills.look();
    const isEmpty = places.length + problems.length === 0;
    print(await describeSkills(isEmpty ? null : skills, signal));
    return exitCodes.done;
  }
  const { skills: usable, problems } = await skills.readAll(signal);
  printJson({ v: 1, skills: usable.map(skillJson), off: problems.map(describePieceProblem) }, 2);
  return exitCodes.done;
}

function skillJson({ body: _body, from, ...skill }: Skill): object {
  return { ...skill, from: from.shown };
}
