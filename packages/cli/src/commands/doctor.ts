import { terminalSafe } from '@toolwright/core';
import { parseCommandLine } from '../args.js';
import { exitCodes } from '../exit-codes.js';
import { sandboxFlag } from '../flags.js';

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
  const { examinations } = await import('../examinations.js');
  const rows = [];
  for (const examine of examinations) rows.push(...(await examine(parsed)));
  if (parsed.switches.has('json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else
    for (const { state, what, detail } of rows)
      process.stdout.write(`${state.padEnd(7)} ${terminalSafe(`${what}: ${detail}`)}\n`);
  return rows.some(({ state }) => state === 'broken') ? exitCodes.failure : exitCodes.done;
}
