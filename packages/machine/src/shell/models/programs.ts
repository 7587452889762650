import { sameFor } from '../name-lists.js';
import { building } from './building.js';
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

const changesShell: ProgramModel = {
  offer: 0,
  examine: (_words, report) => report.unknownProgram(`${report.who} changes the shell`),
};

/** `set -e` and the like are stricter about errors: doubted, but what follows still means what it says. */
const set: ProgramModel = {
  offer: 0,
  examine: (words, report) => {
    const strict = words.every(
      ({ kind, text }) => kind === 'literal' && /^(-[eux]+|-[eux]*o|pipefail)$/.test(text),
    );
    if (strict && words.length > 0) report.doubt('`set` changes the shell');
    else report.unknownProgram('`set` changes the shell');
    return undefined;
  },
};

/** Builtins that change the shell itself: whatever follows them can't be trusted to mean what it says. */
const builtins: ProgramTable = {
  ...sameFor(
    'export declare typeset local readonly alias unalias shopt unset hash read mapfile readarray getopts shift return let enable bind complete compgen compopt caller times ulimit umask wait jobs fg bg disown kill suspend history fc dirs pushd popd logout help coproc',
    changesShell,
  ),
  set,
  ...sameFor('source .', { reason: 'runs a script in the shell', offer: 2, examine: () => undefined }),
};

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
