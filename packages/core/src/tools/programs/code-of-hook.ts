import { basename, isAbsolute, join, resolve } from 'node:path';
import type { CommandWords } from '@toolwright/machine/base/effect.js';
import {
  interpreters,
  packageManagers,
  packageRunners,
  pythonRunners,
  recipeRunners,
  wrappers,
} from '@toolwright/machine/host/run-code/command-table.js';
import { couldRun } from '@toolwright/machine/host/run-code/could-run.js';
import { projectVariables } from '@toolwright/machine/host/run-code/project-folder.js';
import { everyCodeRunBy } from '@toolwright/machine/host/run-code/run-code.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { type Environment, homeDirectory } from '@toolwright/machine/host/state/state-folder.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import { analyseCommand } from '@toolwright/machine/shell/analyse.js';
import { quote } from '@toolwright/machine/shell/shell-word.js';
import { hasUnknownProgram } from '@toolwright/machine/shell/unknown-programs.js';

interface HookPlaces {
  /** The folder that the hook runs in. */
  directory: string;
  /** Folders whose code must not run. */
  roots: readonly string[];
  environment: Environment;
}

const unknown = 'what it runs is known only then, and may belong to a folder that you do not trust';

/** Why the command of a hook is not to run where nobody trusts the roots; undefined when it runs no code of them. */
export function codeOfHook(command: string, places: HookPlaces): Promise<string | undefined> {
  return codeOf(command, { ...places, whole: command });
}

/** A command line within that of a hook. */
interface LinePlaces extends HookPlaces {
  /** The command of the hook: a variable that it sets has that value in the lines within it, too. */
  whole: string;
}

async function codeOf(command: string, places: LinePlaces): Promise<string | undefined> {
  const { directory, roots, environment } = places;
  const line = withKnownValues(command, places);
  const words = ['bash', '-c', line];
  const paths = await everyCodeRunBy({ words, directory }, { roots, path: environment['PATH'] ?? '' });
  const named = paths.find((path) => !roots.includes(path) && lookAtSync(path) !== null);
  if (named !== undefined) return wouldRun(named);
  const home = homeDirectory(environment);
  const { commands, scripts } = await analyseCommand(line, { directory, roots, home });
  if (commands === null || (await hasUnknownProgram(line))) return unknown;
  if (commands.some(runsRecipe) || findsProgramsIn(line, places)) return wouldRun(directory);
  if (runsUnknownCode(commands, line)) return unknown;
  // A root stands for a word that is known only when the hook runs.
  const file = paths.some((path) => roots.includes(path)) ? fileNamedIn(line, places) : undefined;
  return file === undefined ? codeOfScripts(scripts, places) : wouldRun(file);
}

/** In single quotes nothing is replaced before the program that gets the text runs it. */
async function codeOfScripts(scripts: readonly string[], places: LinePlaces): Promise<string | undefined> {
  for (const script of scripts) {
    const reason = await codeOf(script, places);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function wouldRun(path: string): string {
  return `it would run ${path}, which belongs to a folder that you do not trust`;
}

/** Puts known values in the place of variables and substitutions, so that the files they name are seen. */
function withKnownValues(command: string, { directory, environment, whole }: LinePlaces): string {
  const values: Record<string, string | undefined> = { ...environment, PATH: undefined, PWD: directory };
  for (const name of projectVariables) values[name] = directory;
  // A word that names a variable without `$` may set it: `NAME=`, `for NAME in`, `read NAME`.
  for (const [name] of whole.matchAll(/(?<![\w$]|\$\{)\w+/g)) values[name] = undefined;
  const isElsewhere = /\b(cd|pushd|popd)\b/.test(whole);
  if (isElsewhere) values['PWD'] = undefined;
  const isRepository = lookAtSync(join(directory, '.git')) !== null;
  // The quotes that are open at the place that is read; the last are those of the innermost substitution.
  const around = [''];
  return command.replace(PLACES, (part, plain?: string, braced?: string) => {
    const quotes = around.at(-1)!;
    const isLiteral = quotes === "'";
    if (part === quotes || (isLiteral && part === "\\'")) around[around.length - 1] = '';
    else if (isLiteral) return part;
    else if ((part === '"' || part === "'") && quotes === '') around[around.length - 1] = part;
    else if (part === '$(') around.push('');
    else if (part === ')' && quotes === '' && around.length > 1) around.pop();
    const name = plain ?? braced;
    const isFolder = !isElsewhere && /pwd|git/.test(part) && (isRepository || part.includes('pwd'));
    const value = name === undefined ? (isFolder ? directory : undefined) : values[name];
    if (value === undefined) return part;
    return quotes === '"' ? value.replace(/["\\$`]/g, '\\$&') : quote(value);
  });
}

const PLACES =
  /\\.|["')]|\$(?:(\w+)|\{(\w+)\})|(?:\$\(\s*|`)(?:pwd|git rev-parse --show-toplevel)(?:\s*\)|`)|\$\(/gs;

const programOf = ([program]: CommandWords): string => basename(program ?? '');

/** Package runners and recipes run what files of the folder say, which nobody can know beforehand. */
function runsRecipe(words: CommandWords): boolean {
  const lists = [packageRunners, packageManagers, pythonRunners, recipeRunners];
  return lists.some((names) => names.test(programOf(words)));
}

/** True when programs are looked for in the folder first: `PATH=node_modules/.bin:$PATH`. */
function findsProgramsIn(line: string, { roots }: HookPlaces): boolean {
  const values = [...line.matchAll(/\bPATH=((?:"[^"]*"|'[^']*'|[^\s;&|])*)/g)].map(([, value = '']) => value);
  const folders = values.flatMap((value) => value.replace(/["']/g, '').split(':'));
  return folders.some(
    (folder) =>
      !/^(\$PATH|\$\{PATH\}|~\/.*)$/.test(folder) &&
      (!isAbsolute(folder) || folder.includes('$') || roots.some((root) => isInside(folder, root))),
  );
}

/** True when a script, or a program that another one starts, is known only when the hook runs. */
function runsUnknownCode(commands: readonly CommandWords[], line: string): boolean {
  const isAway = commands.some((words) => /^(cd|pushd)$/.test(programOf(words)) && words.includes(null));
  return commands.some((words, index) => {
    const [program, ...args] = words;
    const name = programOf(words);
    if (isAway && program?.includes('/') && !isAbsolute(program)) return true;
    if (wrappers.test(name)) {
      const next = commands[index + 1];
      return args.includes(null) && next?.length === 1 && next[0] === null;
    }
    if (!interpreters.some(([names]) => names.test(name)) && !/^(\.|source|eval)$/.test(name)) return false;
    const script = args.find((word) => word === null || !/^[-+]/.test(word));
    // The interpreter reads its script from standard input.
    if (script === undefined) return !line.includes('<<') && !args.some((word) => word?.startsWith('--'));
    return script === null || (isAway && !isAbsolute(script));
  });
}

/** A file that the line runs or reads. Files that it writes do not count. */
function fileNamedIn(line: string, { directory, roots }: HookPlaces): string | undefined {
  const words = line.replace(/>>?\s*\S+/g, ' ').split(/[\s'"`;&|()<>=]+/);
  const folders = [
    directory,
    ...[...line.matchAll(/\b(?:cd|pushd)\s+([^\s;&|]+)/g)].map(([, to = '']) =>
      resolve(directory, to.replace(/["']/g, '')),
    ),
  ];
  return words
    .filter((word) => word !== '' && couldRun(word))
    .flatMap((word) => folders.map((folder) => resolve(folder, word)))
    .find((path) => roots.some((root) => isInside(path, root)) && lookAtSync(path)?.kind === 'file');
}
