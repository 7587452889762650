import { messageOf, terminalSafe, terminalSafeJson } from '@toolwright/core';
import { exitCodes } from '../../base/exit-codes.js';
import { parseCommandLine, refuseFurther } from '../../command-line/args.js';
import { sandboxFlag } from '../../command-line/flags.js';
import { readSetup } from '../../setup/runtime.js';
import type { Examined } from './examinations.js';

const flags = [{ name: 'json', help: 'Print JSON.' }, sandboxFlag];

/** What holds on this machine, each point tried, and what to do about the rest. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, flags);
  if (parsed.switches.has('help')) {
    process.stdout.write(
      'Usage\n  toolwright doctor [--json] [--sandbox MODE]     try what Toolwright needs on this machine\n',
    );
    return exitCodes.done;
  }
  refuseFurther(parsed.words, 'doctor');
  const { examinations } = await import('./examinations.js');
  const { screenColumns, wrapped } = await import('../../command-line/help.js');
  const setup = await readSetup(parsed).catch(messageOf);
  const rows: Examined[] = [];
  for (const examine of examinations) {
    const found = await examine({ args: parsed, setup });
    rows.push(...found);
    // As they are found: some take seconds.
    for (const { state, what, detail } of parsed.switches.has('json') ? [] : found)
      process.stdout.write(
        `${state.padEnd(7)} ${wrapped(terminalSafe(`${what}: ${detail}`), 8, screenColumns())}\n`,
      );
  }
  if (parsed.switches.has('json')) process.stdout.write(`${terminalSafeJson(rows, 2)}\n`);
  return rows.some(({ state }) => state === 'broken') ? exitCodes.failure : exitCodes.done;
}
