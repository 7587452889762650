import { resolve } from 'node:path';
import { doubt, listUnknownProgram } from '../findings.js';
import { follow, isInside } from '../paths.js';
import type { ShellWord } from '../shell-word.js';
import type { Scope } from './scope.js';

/** Where the shell is after a `cd` that worked. */
export function changeDirectory(words: readonly ShellWord[], scope: Scope): readonly string[] {
  const { findings, directories } = scope;
  const [target, more] = words[0]?.text === '--' ? words.slice(1) : words;
  const leave = (reason: string): readonly string[] => {
    doubt(findings, reason);
    return directories;
  };
  if (target === undefined) return leave('`cd` goes to the home directory');
  if (target.kind !== 'literal' || more !== undefined) {
    listUnknownProgram(findings, '`cd` goes to a folder known only when it runs');
    return directories;
  }
  if (target.text.startsWith('-') || target.text === '')
    return leave(`\`cd ${target.text}\` is not followed`);
  const { context } = findings;
  const real = (path: string): string => follow('/', path, context);
  // The shell takes `..` from the name of the folder, programs from the folder itself.
  const climbs = target.text.split('/').includes('..');
  if (climbs && directories.some((directory) => real(directory) !== directory)) {
    return leave('`cd` climbs out of a folder behind a link');
  }
  const after = directories.map((directory) => resolve(directory, target.text));
  const roots = context.roots.flatMap((root) => [root, real(root)]);
  for (const path of after.flatMap((path) => [path, real(path)])) {
    if (!roots.some((root) => isInside(path, root)))
      doubt(findings, `\`cd\` goes to ${path}, outside the workspace`);
  }
  return [...new Set(after)];
}
