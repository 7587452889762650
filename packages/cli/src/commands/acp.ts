import { exitCodes } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { warn } from '../base/print.js';
import { isStdinTerminal } from '../base/read-stdin.js';
import { takeStandardOutput } from '../base/take-output.js';
import { type Arguments, refuseFurther } from '../command-line/args.js';
import { acpFlags } from '../command-line/flags.js';
import { defineCommand } from './command.js';

/** Speaks with an editor that started us. */
export const run = defineCommand({
  usage:
    '  toolwright acp   for an editor that starts it and speaks the Agent Client Protocol on standard input and output',
  flags: acpFlags,
  run: serve,
});

async function serve(args: Arguments): Promise<number> {
  refuseFurther(args.words, 'acp');
  if (isStdinTerminal())
    warn('Waiting for an editor on standard input. An editor usually starts this command; Ctrl+C ends it.');
  const signal = abortOnInterrupt();
  const output = takeStandardOutput();
  // An editor that is gone ends the connection, and that everything that runs.
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) => output.destroy(error));
  const { serveEditor } = await import('../acp/connection.js');
  await serveEditor({ args, input: process.stdin, output, signal });
  return exitCodes.done;
}
