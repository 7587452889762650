import type { ProgramModel, ProgramTable } from './model.js';

const changesShell: ProgramModel = { reason: 'changes the shell', offer: 0, examine: () => undefined };

/** Builtins that change the shell itself: whatever follows them can't be trusted to mean what it says. */
export const builtins: ProgramTable = Object.fromEntries([
  ...'export declare typeset local readonly alias unalias set shopt unset hash read mapfile readarray getopts shift return let enable bind complete compgen compopt caller times ulimit umask wait jobs fg bg disown kill suspend history fc dirs pushd popd logout help coproc'
    .split(' ')
    .map((name): [string, ProgramModel] => [name, changesShell]),
  ['source', { reason: 'runs a script in the shell', offer: 2, examine: () => undefined }],
  ['.', { reason: 'runs a script in the shell', offer: 2, examine: () => undefined }],
]);
