import type { Ended, RunOptions } from '@toolwright/machine/host/processes/processes.js';
import { projectVariables } from '@toolwright/machine/host/run-code/project-folder.js';
import type { Environment } from '@toolwright/machine/host/state/state-folder.js';
import type { Workspace } from '@toolwright/machine/host/workspace.js';
import { quote } from '@toolwright/machine/shell/shell-word.js';
import type { Hook } from '../../pieces/hooks/hook.js';
import type { HookRun } from '../../pieces/hooks/hook-answer.js';
import { unfilledPlaceholder, withSeparators } from '../../pieces/hooks/placeholders.js';
import { wholeText } from './printed.js';
import { type ProgramAccess, usualAccess } from './program.js';
import { type ConfinedRunNeeds, confinedRun } from './run-confined.js';

export interface RunHookNeeds extends Omit<ConfinedRunNeeds, 'workspace'> {
  workspace: Pick<Workspace, 'roots' | 'directory'>;
  /** The user vouches for the workspace, so their own hooks may run programs of it. */
  trusted: boolean;
  mode(): string;
  /** The call that the hook is asked about, if there is one. */
  call?: object | undefined;
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
  const unfilled = unfilledPlaceholder(hook);
  if (unfilled !== null) return notRun(`was not run: ${unfilled} has no value for hooks here`);
  const words = ['bash', '-c', `${variables(hook, directory)}${withSeparators(hook.command)}`];
  const options: RunOptions = { signal, input, timeoutMs: hook.timeoutMs, maxOutputBytes: MOST_OUTPUT };
  if (hook.from.isOwn) {
    const code = needs.trusted ? undefined : await codeOfWorkspace(hook, needs);
    if (code !== undefined) return notRun(`was not run: ${code} (toolwright trust)`);
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
    await confinedRun(needs)({ words, directory, access: accessOf(needs), readable }, options),
    signal,
  );
}

/** In plan mode nothing is written, by hooks neither. Elsewhere a hook may keep a log in the workspace. */
function accessOf({ mode }: RunHookNeeds): ProgramAccess {
  return mode() === 'plan' ? { write: false, network: false } : usualAccess;
}

/** The search for each hook, once for a call: a call may be about a hundred files, and its hooks change none of them. */
const searches = new WeakMap<object, Map<Hook, Promise<string | undefined>>>();

async function codeOfWorkspace(hook: Hook, needs: RunHookNeeds): Promise<string | undefined> {
  const { call = {}, workspace, environment } = needs;
  const search = async (): Promise<string | undefined> => {
    const { codeOfHook } = await import('./code-of-hook.js');
    // Folders that are only read, such as those of skills, are not the workspace.
    const roots = workspace.roots.filter(({ access }) => access === 'write').map(({ path }) => path);
    return codeOfHook(withSeparators(hook.command), { directory: workspace.directory, roots, environment });
  };
  const ofCall = searches.get(call) ?? new Map();
  searches.set(call, ofCall);
  if (!ofCall.has(hook)) ofCall.set(hook, search());
  return ofCall.get(hook);
}

/** Places by the names that hooks of other agents know. */
function variables({ from }: Hook, directory: string): string {
  const places: Record<string, string> = {};
  for (const name of projectVariables) places[name] = directory;
  if (from.root !== undefined) {
    for (const name of ['PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT', 'extensionPath', '__dirname'])
      places[name] = from.root;
    places['workspacePath'] = directory;
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
