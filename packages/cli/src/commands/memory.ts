import { describeMemory, memoryJson, viewMemory } from '../actions/describe-memory.js';
import { forgetFact } from '../actions/memory.js';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { print, printJson } from '../base/print.js';
import { refuseFurther } from '../command-line/args.js';
import type { Flag } from '../command-line/flags.js';
import { withToolbox } from '../setup/runtime.js';
import { defineCommandGroup } from './command.js';
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

export const run = defineCommandGroup({
  name: 'memory',
  usage: `  toolwright memory show [--json]                   the context files in effect here, and the facts in them
  toolwright memory forget NUMBER|WORDS [--scope SCOPE]   remove one fact`,
  flags,
  actions: {
    async show(words, args) {
      refuseFurther(words, 'memory show');
      return withToolbox(args, { front: 'memory' }, async (toolbox, setup) => {
        const view = await viewMemory(toolbox, setup, abortOnInterrupt());
        if (args.switches.has('json')) printJson(memoryJson(view), 2);
        else print(describeMemory(view, 'toolwright '));
        return exitCodes.done;
      });
    },
    async forget(words, args) {
      const [wanted, scope] = [words.join(' '), args.values.get('scope')];
      if (wanted === '')
        throw new UsageError(
          'memory forget needs the number of a fact or some of its words. toolwright memory show lists them.',
        );
      const options = { wanted, scope, prefix: 'toolwright ' as const, signal: abortOnInterrupt() };
      return withToolbox(args, { front: 'memory' }, async (toolbox, setup) => {
        printReport(await forgetFact(toolbox, setup, options));
        return exitCodes.done;
      });
    },
  },
});
