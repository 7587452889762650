import { terminalSafe, terminalSafeJson } from '@toolwright/core';
import { describeMemory, memoryJson, viewMemory } from '../actions/describe-memory.js';
import { forgetFact } from '../actions/memory.js';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { parseCommandLine, refuseFurther } from '../command-line/args.js';
import type { Flag } from '../command-line/flags.js';
import { loadSetup, openToolbox } from '../setup/runtime.js';
import { printReport } from './print-report.js';

const flags: readonly Flag[] = [
  {
    name: 'scope',
    value: 'SCOPE',
    choices: ['project', 'global'],
    help: 'With forget: only a fact of this scope.',
  },
  { name: 'json', help: 'With show: print JSON.' },
];

/** `memory show|forget`. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, flags);
  const [action, ...rest] = parsed.words;
  if (parsed.switches.has('help') || action === undefined)
    return help(action === undefined && !parsed.switches.has('help'));
  if (action !== 'show' && action !== 'forget')
    throw new UsageError(`There is no command memory ${action}. It is show or forget.`);
  if (action === 'show') refuseFurther(rest, 'memory show');
  else if (rest.length === 0)
    throw new UsageError(
      'memory forget needs the number of a fact or some of its words. toolwright memory show lists them.',
    );
  const signal = abortOnInterrupt();
  const setup = await loadSetup(parsed);
  const toolbox = await openToolbox(parsed, { front: 'memory' }, setup);
  try {
    if (action === 'forget') {
      const [wanted, scope] = [rest.join(' '), parsed.values.get('scope')];
      printReport(await forgetFact(toolbox, setup, { wanted, scope, prefix: 'toolwright ', signal }));
      return exitCodes.done;
    }
    const view = await viewMemory(toolbox, setup, signal);
    const text = parsed.switches.has('json')
      ? terminalSafeJson(memoryJson(view), 2)
      : terminalSafe(describeMemory(view, 'toolwright '));
    process.stdout.write(`${text}\n`);
    return exitCodes.done;
  } finally {
    await toolbox.close();
  }
}

async function help(isMistake: boolean): Promise<number> {
  const { flagTable } = await import('../command-line/help.js');
  const text = `Usage
  toolwright memory show [--json]                   the context files in effect here, and the facts in them
  toolwright memory forget NUMBER|WORDS [--scope SCOPE]   remove one fact

Flags
${flagTable(flags)}
`;
  (isMistake ? process.stderr : process.stdout).write(text);
  return isMistake ? 2 : 0;
}
