import { resolve } from 'node:path';
import { doubt, listUnknownProgram } from '../findings.js';
import { follow, isInside } from '../paths.js';
import type { ShellWord } from '../shell-word.js';
import type { Scope } from './scope.js';

/** The folder of the shell after a `cd` that worked. */
export function changeDirectory(words: readonly ShellWord[], scope: Scope): readonly string[] {
  const { findings, directories } = scope;
  const [target, more] = words[0]?.text === '--' ? words.slice(1) : words;
  // The commands that follow would be judged in the wrong folder, so no rule may cover them.
  const leave = (reason: string): readonly string[] => {
    listUnknownProgram(findings, reason);
    return directories;
  };
  if (target === undefined) return goTo([findings.context.home], scope);
  if (target.kind !== 'literal' || more !== undefined)
    return leave('`cd` goes to a folder known only when it runs');
  if (target.text.startsWith('-') || target.text === '')
    return leave(`\`cd ${target.text}\` is not followed`);
  const { context } = findings;
  const real = (path: string): string => follow('/', path, context);
  // The shell takes `..` from the name of the folder, programs from the folder itself.
  const climbs = target.text.split('/').includes('..');
  if (climbs && directories.some((directory) => real(directory) !== directory)) {
    return leave('`cd` climbs out of a folder behind a link');
  }
  return goTo(
    directories.map((directory) => resolve(directory, target.text)),
    scope,
  );
}

function goTo(after: readonly string[], { findings }: Scope): readonly string[] {
  const { context } = findings;
  const real = (path: string): string => follow('/', path, context);
  const roots = context.roots.flatMap((root) => [root, real(root)]);
  for (const path of after.flatMap((path) => [path, real(path)])) {
    if (!roots.some((root) => isInside(path, root)))
      doubt(findings, `\`cd\` goes to ${path}, outside the workspace`);
  }
  return [...new Set(after)];
}
