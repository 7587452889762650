import { plural } from '@toolwright/core/front-end';
import {
  answerDigest,
  answerQuestion,
  type Engine,
  placeOf,
  type WaitingQuestion,
  waitingQuestions,
} from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, printLine } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { sameFleet } from './engine-flags.js';
import { withFleet } from './open-fleet.js';
import { ownRedactor } from './work/own-secrets.js';

/** `fleet questions`: what waits for an answer; at a terminal one is asked after the other. */
export async function questions(words: string[], args: Arguments): Promise<number> {
  refuseFurther(words, 'fleet questions');
  return withFleet(args, async (engine) => {
    const found = await waitingQuestions(engine);
    if (args.switches.has('json')) for (const question of found) printJson({ v: 1, ...question });
    else if (found.length === 0) print('No question is waiting.');
    else if (isStdinTerminal() && process.stdout.isTTY && process.stderr.isTTY)
      return askEach(engine, found, args);
    else for (const question of found) printQuestion(question, args);
    return exitCodes.done;
  });
}

function printQuestion({ id, title, workspace, request }: WaitingQuestion, args: Arguments): void {
  printLine(`${id}  ${placeOf({ workspace }, process.cwd())}  ${title}`);
  printLine(`  ${request.description}: ${request.reason}`);
  printLine(`  toolwright fleet answer ${id} yes|no${sameFleet(args)}`);
}

async function askEach(engine: Engine, found: readonly WaitingQuestion[], args: Arguments): Promise<number> {
  const { text } = await ownRedactor(args);
  const { askWaiting } = await import('../../ask/waiting-question.js');
  const { withTerminal } = await import('../../ask/ask-on-terminal.js');
  const signal = abortOnInterrupt();
  let answered = 0;
  await withTerminal(async ({ ask }) => {
    for (const [index, question] of found.entries()) {
      const place = `${index + 1} of ${found.length}`;
      const { request, title, workspace } = question;
      const task = `${placeOf({ workspace }, process.cwd())}: ${title}`;
      const answer = await askWaiting({ task, request }, { place, ask, signal });
      if (answer === null) return;
      if (answer === 'later') continue;
      const of = { task: question.taskId, digest: question.digest };
      const given = answer.reason === undefined ? answer : { ...answer, reason: text(answer.reason) };
      if ((await answerDigest(engine, of, given)) !== null) answered += 1;
    }
  });
  const left = found.length - answered;
  print(
    `${plural(answered, 'question')} answered${left > 0 ? `, ${left} still ${left === 1 ? 'waits' : 'wait'}` : ''}.`,
  );
  return signal.aborted ? exitCodes.cancelled : exitCodes.done;
}

/** `fleet answer ID yes|no REASON`. */
export function answer([id, word, ...reason]: string[], args: Arguments): Promise<number> {
  if (id === undefined || (word !== 'yes' && word !== 'no'))
    throw new UsageError('Say which question, and yes or no: toolwright fleet answer ID yes, or no REASON.');
  return withFleet(args, async (engine) => {
    const { text } = await ownRedactor(args);
    const given = { agrees: word === 'yes', reason: reason.length > 0 ? text(reason.join(' ')) : undefined };
    const left = await answerQuestion(engine, id, given);
    print(
      left === 0
        ? 'The task continues as soon as a worker is free.'
        : `Saved. ${plural(left, 'question')} of this task still to answer.`,
    );
    return exitCodes.done;
  });
}
