import { building } from './building.js';
import { builtins } from './builtins.js';
import { changing } from './changing.js';
import { git } from './git/git.js';
import { isStarter } from './interpreters.js';
import type { ProgramModel, ProgramTable } from './model.js';
import { network } from './network.js';
import { printing } from './printing.js';
import { search } from './search.js';
import { starter } from './starting/starters.js';
import { tar } from './tar.js';
import { text } from './text.js';
import { wrappers } from './wrappers.js';

export const programs: ProgramTable = {
  ...network,
  ...building,
  ...builtins,
  ...changing,
  ...printing,
  ...search,
  ...tar,
  ...text,
  ...wrappers,
  git,
};

/** The model of a program, by its name; by its path only where the system keeps programs. */
export function modelOf(name: string): ProgramModel | undefined {
  const plain = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(name)?.[1] ?? name;
  if (Object.hasOwn(programs, plain)) return programs[plain];
  return isStarter(plain) ? starter : undefined;
}
