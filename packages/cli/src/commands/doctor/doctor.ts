import { messageOf, terminalSafe } from '@toolwright/core/front-end';
import type { Examined } from '../../actions/examinations.js';
import { exitCodes } from '../../base/exit-codes.js';
import { printJson } from '../../base/print.js';
import { refuseFurther } from '../../command-line/args.js';
import { sandboxFlag } from '../../command-line/flags.js';
import { readSetup } from '../../setup/runtime.js';
import { defineCommand } from '../command.js';

/** Tries what Toolwright needs on this machine, and says what to do about the rest. */
export const run = defineCommand({
  usage: '  toolwright doctor [--json] [--sandbox MODE]     try what Toolwright needs on this machine',
  flags: [{ name: 'json', help: 'Print JSON.' }, sandboxFlag],
  async run(args) {
    refuseFurther(args.words, 'doctor');
    const { examinations } = await import('../../actions/examinations.js');
    const { screenColumns, wrapped } = await import('../../command-line/help.js');
    const setup = await readSetup(args).catch(messageOf);
    const rows: Examined[] = [];
    for (const examine of examinations) {
      const found = await examine({ args, setup });
      rows.push(...found);
      // Lines are printed as they are found: some take seconds.
      for (const { state, what, detail } of args.switches.has('json') ? [] : found)
        process.stdout.write(
          `${state.padEnd(7)} ${wrapped(terminalSafe(`${what}: ${detail}`), 8, screenColumns())}\n`,
        );
    }
    if (args.switches.has('json')) printJson(rows, 2);
    return rows.some(({ state }) => state === 'broken') ? exitCodes.failure : exitCodes.done;
  },
});
