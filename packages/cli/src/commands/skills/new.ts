import { join } from 'node:path';
import { isSkillName } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { loadSetup } from '../../setup/runtime.js';
import { keepTrust, writeNewFiles } from '../new-files.js';

/** Writes a skill to start from. */
export async function newSkill(name: string | undefined, args: Arguments): Promise<number> {
  if (name === undefined || !isSkillName(name))
    throw new UsageError(
      'skills new needs a name of at most 64 lower-case letters, digits and single hyphens: toolwright skills new release-notes',
    );
  const setup = await loadSetup(args);
  const isOfUser = args.switches.has('user');
  const inside = isOfUser ? 'skills' : join('.toolwright', 'skills');
  await writeNewFiles(setup, {
    front: 'skills new',
    files: [{ name: join(name, 'SKILL.md'), text: skill.replaceAll('NAME', name) }],
    isOfUser,
    inside,
  });
  const isVouched = isOfUser || (await keepTrust(setup, { args, inside, signal: abortOnInterrupt() }));
  print('Say in it when to use the skill (description) and what to do (the text below).');
  if (!isVouched) print('Skills of a folder take effect once you trust it: toolwright trust');
  print(`Then: toolwright skills check ${name}`);
  return exitCodes.done;
}

const skill = `---
name: NAME
description: Says in one or two sentences what this skill does, and when to use it. Name the words that a user would say.
---

# What to do

1. Say step by step what is to be done, as to a colleague on the first day.
2. Files beside this one (scripts, references) are named by their path in this folder, such as references/details.md.
3. Say how to tell that the work is right.
`;
