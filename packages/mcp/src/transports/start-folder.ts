import { basename, isAbsolute, resolve } from 'node:path';
import { ToolError } from '@toolwright/machine/base/errors.js';
import { lookAt } from '@toolwright/machine/host/state/inspect-files.js';
import { isInside } from '@toolwright/machine/host/workspace.js';
import type { McpNeeds } from '../contract/needs.js';
import type { McpProgram } from '../contract/server-config.js';

/** Programs that look where they start for what to run: packages, recipes, configuration that names code. */
const LAUNCHERS =
  /^(npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|deno|tsx|ts-node|uv|uvx|pipx|poetry|pdm|rye|hatch|bundle|bundler|rake|Rscript|R|make|gmake|just|task|cargo|go|mix|dotnet|gradle|mvn|nix|mise|direnv)$/;
const SHELLS = /^(bash|sh|zsh|dash|ksh|fish)$/;
const INTERPRETERS = /^(node|nodejs|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|pwsh|java|julia)$/;
/** Options of interpreters whose value is found from the folder of the start. */
const LOADS_FROM_HERE =
  /^(-m|-c|-e|-p|-r|-pe|--eval|--print|--(require|import|loader|experimental-loader)(=.*)?)$/;
const CODE = /\.([cm]?[jt]sx?|pyz?|rb|pl|pm|php|lua|sh|bash|jar|dll|jl)$/i;

/**
 * The folder a server starts in. No code of a folder that the user does not trust may run: a program that would look there
 * for code starts in an empty folder, and one that is told to run a file of it does not start.
 */
export async function startFolder(
  program: McpProgram,
  { workspace, makeEmptyFolder }: Pick<McpNeeds, 'workspace' | 'makeEmptyFolder'>,
): Promise<string> {
  const folder = resolve(workspace, program.cwd ?? '');
  if (!makeEmptyFolder || !isInside(folder, workspace)) return folder;
  const words = [program.command, ...program.args];
  for (const word of codeWords(program)) await refuseFileOf(folder, word);
  if (!looksForCode(words)) return folder;
  const here = words.find((word) => /^\.\.?(\/|$)/.test(word));
  if (here === undefined) return makeEmptyFolder();
  throw new ToolError(
    'denied',
    `${program.command} would run what it finds in ${folder}, which you do not trust, so it starts elsewhere, where "${here}" is another place; write the whole path instead, or trust the folder: toolwright trust`,
  );
}

function looksForCode(words: readonly string[]): boolean {
  const names = words.flatMap((word) => word.split(/\s+/)).map((word) => basename(word));
  if (names.some((name) => LAUNCHERS.test(name))) return true;
  return INTERPRETERS.test(basename(words[0] ?? '')) && words.some((word) => LOADS_FROM_HERE.test(word));
}

/** Words by which a file beside the start would be run. */
function codeWords({ command, args }: McpProgram): string[] {
  const name = basename(command);
  const isShell = SHELLS.test(name);
  const script = isShell || INTERPRETERS.test(name) ? args.find((word) => !word.startsWith('-')) : undefined;
  const named = args
    .flatMap((word) => word.split(/[\s=;&|()'"]+/))
    .filter((word) => CODE.test(word) || (isShell && /^\.\.?\//.test(word)));
  const own = command.includes('/') ? [command] : [];
  return [...own, ...(script === undefined ? [] : [script]), ...named].filter((word) => !isAbsolute(word));
}

async function refuseFileOf(folder: string, word: string): Promise<void> {
  const path = resolve(folder, word);
  if (!(await lookAt(path))) return;
  throw new ToolError(
    'denied',
    `its command would run ${path}, which belongs to a folder that you do not trust; write the whole path if you mean that file, or trust the folder: toolwright trust`,
  );
}
