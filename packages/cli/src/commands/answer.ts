import {
  confirmParked,
  findParked,
  parkedRuns,
  removeParkedRun,
  saveParkedRun,
} from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { printJson, printLine } from '../base/print.js';
import type { Arguments } from '../command-line/args.js';
import { defineCommand } from './command.js';
import { runHeadless } from './prompt/headless-run.js';
import { argumentsOf, openOwnState, parkedLines } from './prompt/park.js';

const usage = `  toolwright answer                    list the questions that wait
  toolwright answer ID yes             agree; the run continues here, as it was started
  toolwright answer ID no [REASON]     refuse; the model is told the reason, and the run continues here

A run with --on-question park ends with exit code 55 at its first question. Your answer holds for exactly what was asked: where
the call would do something else by now, it is asked about again.`;

export const run = defineCommand({
  usage,
  flags: [{ name: 'json', help: 'Print the questions as JSON.' }],
  run: answer,
});

async function answer(args: Arguments): Promise<number> {
  const [id, word, ...reason] = args.words;
  if (id === undefined) return list(args);
  if (word !== 'yes' && word !== 'no')
    throw new UsageError(`Say yes or no: toolwright answer ${id} yes, or toolwright answer ${id} no REASON.`);
  const state = openOwnState();
  const { run: parked, question } = await findParked(state, id);
  const given = { agrees: word === 'yes', reason: reason.length > 0 ? reason.join(' ') : undefined };
  parked.questions[question]!.answer = given;
  await saveParkedRun(state, parked);
  const open = parked.questions.filter((each) => !each.answer).length;
  if (open > 0) {
    printLine(
      `Saved. ${open} more of this run ${open === 1 ? 'waits' : 'wait'}: toolwright answer lists them.`,
    );
    return exitCodes.done;
  }
  const { cwd, used, ...going } = argumentsOf(parked);
  process.chdir(cwd);
  return runHeadless(going, {
    signal: abortOnInterrupt(),
    confirm: confirmParked(parked.questions),
    async work(agent, { signal }) {
      // From here on the run's journal tells how far it is.
      await removeParkedRun(state, parked.session);
      return agent.goOn(signal, { earlier: used });
    },
  });
}

async function list(args: Arguments): Promise<number> {
  const runs = await parkedRuns(openOwnState());
  if (args.switches.has('json')) {
    for (const { front: _front, ...each } of runs) printJson(each);
    return exitCodes.done;
  }
  if (runs.length === 0) printLine('No question is waiting.');
  for (const each of runs) {
    printLine(`${each.session}  ${each.parkedAt}  ${each.workspace}`);
    for (const line of parkedLines(each)) printLine(`  ${line}`);
  }
  return exitCodes.done;
}
