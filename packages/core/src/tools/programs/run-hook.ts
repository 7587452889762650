import { isAbsolute, join } from 'node:path';
import type { Ended, RunOptions } from '@toolwright/machine/host/processes/processes.js';
import { recipeRunners } from '@toolwright/machine/host/run-code/command-table.js';
import { couldRun } from '@toolwright/machine/host/run-code/could-run.js';
import { projectVariables, withProjectFolder } from '@toolwright/machine/host/run-code/project-folder.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import { quote } from '@toolwright/machine/shell/shell-word.js';
import type { Hook } from '../../pieces/hooks/hook.js';
import type { HookRun } from '../../pieces/hooks/hook-answer.js';
import { wholeText } from './printed.js';
import { usualAccess } from './program.js';
import { type ConfinedRunNeeds, confinedRun } from './run-confined.js';

export interface RunHookNeeds extends Omit<ConfinedRunNeeds, 'workspace'> {
  workspace: Pick<Workspace, 'roots' | 'directory'>;
  /** The user vouches for the workspace, so their own hooks may run programs of it. */
  trusted: boolean;
}

const MOST_OUTPUT = 1024 * 1024;

/** The user's own hooks run like commands that the user types, but run no code of a folder that nobody trusts; those of projects and extensions in the sandbox, or not at all. */
export async function runHook(
  hook: Hook,
  input: string,
  needs: RunHookNeeds,
  signal: AbortSignal,
): Promise<HookRun> {
  const { directory } = needs.workspace;
  const words = ['bash', '-c', `${variables(hook, directory)}${hook.command}`];
  const options: RunOptions = { signal, input, timeoutMs: hook.timeoutMs, maxOutputBytes: MOST_OUTPUT };
  if (hook.from.isOwn) {
    const code = needs.trusted ? undefined : await codeOfWorkspace(hook, needs);
    if (code !== undefined)
      return notRun(
        `was not run: it would run ${code}, which belongs to a folder that you do not trust (toolwright trust)`,
      );
    const [program = '', ...args] = words;
    const environment = definedIn(needs.environment);
    return runOf(hook, await needs.processes.run({ program, args, directory, environment }, options), signal);
  }
  const { confined, sentence } = await needs.sandbox.state(signal);
  if (!confined)
    return notRun(`was not run, because it must be confined and can't be: ${sentence.replace(/\.$/, '')}`);
  const readable = hook.from.root === undefined ? [] : [hook.from.root];
  return runOf(
    hook,
    await confinedRun(needs)({ words, directory, access: usualAccess, readable }, options),
    signal,
  );
}

/** A program or script of the workspace that the hook would run, if there is one. */
async function codeOfWorkspace(
  { command }: Hook,
  { workspace: { directory, roots }, environment }: RunHookNeeds,
): Promise<string | undefined> {
  const { codeRunBy } = await import('@toolwright/machine/host/run-code/run-code.js');
  const written = withProjectFolder(command, quote(directory));
  const folders = roots.map(({ path }) => path);
  const words = ['bash', '-c', written];
  const paths = await codeRunBy({ words, directory }, { roots: folders, path: environment['PATH'] ?? '' });
  const named = paths.find((path) => !folders.includes(path) && lookAtSync(path) !== null);
  // A whole folder stands for a word that is known only when the hook runs, or for a recipe.
  return (
    named ?? (paths.some((path) => folders.includes(path)) ? fileNamedIn(written, directory) : undefined)
  );
}

/** Files that the hook writes are none that it runs. */
function fileNamedIn(command: string, directory: string): string | undefined {
  const words = command.replace(/>>?\s*\S+/g, ' ').split(/[\s'"`;&|()<>=]+/);
  const here = words.filter((word) => word !== '' && !isAbsolute(word) && couldRun(word));
  if (here.some((word) => recipeRunners.test(word))) return directory;
  return here.map((word) => join(directory, word)).find((path) => lookAtSync(path)?.kind === 'file');
}

/** Places by the names that hooks of other agents know. */
function variables({ from }: Hook, directory: string): string {
  const places: Record<string, string> = {};
  for (const name of projectVariables) places[name] = directory;
  if (from.root !== undefined) {
    for (const name of ['PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT', 'extensionPath']) places[name] = from.root;
  }
  return `export ${Object.entries(places)
    .map(([name, value]) => `${name}=${quote(value)}`)
    .join(' ')}\n`;
}

function definedIn(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function notRun(stopped: string): HookRun {
  return { exitCode: null, stdout: '', stderr: '', stopped };
}

function runOf(
  { timeoutMs }: Hook,
  { exitCode, signal: killed, stopped, stdout, stderr }: Ended,
  signal: AbortSignal,
): HookRun {
  signal.throwIfAborted();
  const run = { exitCode, stdout: wholeText(stdout), stderr: wholeText(stderr), stopped: null };
  if (stopped?.kind === 'timeout')
    return { ...run, stopped: `did not answer within ${timeoutMs / 1_000} s and was ended` };
  if (stopped?.kind === 'limit') return { ...run, stopped: 'printed more than 1 MB and was ended' };
  return exitCode === null ? { ...run, stopped: `was ended by ${killed ?? 'a signal'}` } : run;
}
