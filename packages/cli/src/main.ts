import { exitCodes, UsageError } from './base/exit-codes.js';
import { endWhenOutputFails, hasUnwrittenOutput } from './base/standard-output.js';
import type { Command } from './commands/command.js';

/** Commands, each in a file of its own that is loaded when it is asked for. */
const commands: Record<string, () => Promise<{ run: Command }>> = {
  tools: () => import('./commands/tools/tools.js'),
  mcp: () => import('./commands/mcp/mcp.js'),
  sessions: () => import('./commands/sessions.js'),
  explain: () => import('./commands/explain.js'),
  permissions: () => import('./commands/permissions/permissions.js'),
  try: () => import('./commands/try.js'),
  apart: () => import('./commands/apart/apart.js'),
  race: () => import('./commands/race/race.js'),
  answer: () => import('./commands/answer.js'),
  stats: () => import('./commands/stats/stats.js'),
  eval: () => import('./commands/eval/eval.js'),
  replay: () => import('./commands/replay/replay.js'),
  fleet: () => import('./commands/fleet/fleet.js'),
  acp: () => import('./commands/acp.js'),
  web: () => import('./commands/web/web.js'),
  undo: () => import('./commands/undo.js'),
  memory: () => import('./commands/memory.js'),
  skills: () => import('./commands/skills/skills.js'),
  hooks: () => import('./commands/hooks.js'),
  import: () => import('./commands/import/import.js'),
  extensions: () => import('./commands/extensions/extensions.js'),
  trust: () => import('./commands/trust.js'),
  doctor: () => import('./commands/doctor/doctor.js'),
  init: () => import('./commands/init.js'),
  completion: () => import('./commands/completion.js'),
  // The completion scripts call this while the user types.
  complete: () => import('./commands/completion.js'),
};

export async function main(args = process.argv.slice(2)): Promise<void> {
  endWhenOutputFails();
  try {
    process.exitCode = await dispatch(args);
  } catch (error) {
    process.exitCode = await report(error);
  }
  endInSpiteOfLeftovers();
}

const LEFTOVERS_LIMIT_MS = 2_000;

/** A tool file may have left a timer or a connection behind, which would keep the program for ever. */
function endInSpiteOfLeftovers(): void {
  const end = (): void => {
    if (hasUnwrittenOutput()) endInSpiteOfLeftovers();
    else process.exit();
  };
  setTimeout(end, LEFTOVERS_LIMIT_MS).unref();
}

async function dispatch(args: string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === 'help') return dispatch([...rest, '--help']);
  if (first !== undefined && Object.hasOwn(commands, first)) {
    const { run } = await commands[first]!();
    return run(args.slice(1));
  }
  if (first !== undefined && !first.startsWith('-')) {
    const { isPrompt, unknownCommand } = await import('./command-line/args.js');
    if (!isPrompt(args, Object.keys(commands))) throw unknownCommand(args, Object.keys(commands));
  }
  const { run } = await import('./commands/prompt/run-once.js');
  return run(args);
}

/** Prints what happened and what to do next; never a stack trace. */
async function report(error: unknown): Promise<number> {
  const { warn: say } = await import('./base/print.js');
  if (error instanceof UsageError) {
    say(error.message);
    return exitCodes.usage;
  }
  if (error instanceof Error && error.name === 'SettingsError') {
    say(error.message);
    return 'inFlags' in error && error.inFlags ? exitCodes.usage : exitCodes.settings;
  }
  if (error instanceof Error && error.name === 'ToolError') {
    say(error.message);
    return exitCodes.failure;
  }
  if (isFolderGone(error)) {
    say('The current folder does not exist any more. Go to another one, or name one with --workspace.');
    return exitCodes.settings;
  }
  const { isCancellation, logInternalError } = await import('./base/internal-error.js');
  if (isCancellation(error)) {
    say('Cancelled.');
    return exitCodes.cancelled;
  }
  say(await logInternalError(error));
  return exitCodes.failure;
}

/** True for the error of `process.cwd()` in a folder that was removed. */
function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}
