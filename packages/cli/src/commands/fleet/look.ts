import { plural } from '@toolwright/core';
import {
  answerQuestion,
  cancelTask,
  finalStates,
  journalOf,
  patchOfTask,
  records,
  requireRecord,
  retryTasks,
  statusOf,
  type TaskRecord,
  waitingQuestions,
} from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, printJson, printLine } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { showProgress } from './progress.js';
import { printTable } from './run.js';

/** `fleet status`: how many tasks are in each state; with --tasks each one that was begun. */
export function status(_words: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const found = await statusOf(engine);
    if (args.switches.has('json')) printJson({ v: 1, ...found });
    else {
      const counts = Object.entries(found.states).filter(([, count]) => count > 0);
      print(
        counts.length === 0
          ? 'This fleet has no tasks.'
          : counts.map(([state, count]) => `${count} ${state}`).join(', '),
      );
      if (found.lastFailure) print(`last failure: ${found.lastFailure.id}: ${found.lastFailure.message}`);
    }
    if (args.switches.has('tasks')) {
      const all: TaskRecord[] = [];
      for await (const record of records(engine)) all.push(record);
      if (args.switches.has('json')) for (const record of all) printJson(record);
      else printTable(all.sort((one, other) => (one.task.id < other.task.id ? -1 : 1)));
    }
    return exitCodes.done;
  });
}

/** `fleet watch`: the progress, until Ctrl+C or until nothing is left. */
export function watch(_words: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const signal = abortOnInterrupt();
    const progress = showProgress(engine, { args, count: () => statusOf(engine) });
    while (!signal.aborted && (await engine.unfinished()) > 0) await pause(signal);
    await progress.close();
    return exitCodes.done;
  });
}

const LOOK_EVERY_MS = 1_000;

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_EVERY_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** `fleet show ID`: everything about one task, and its patch. */
export function show([id]: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const record = await requireRecord(engine, required(id, 'show'));
    if (args.switches.has('json')) {
      printJson({ ...record, patch: await patchOfTask(engine, record) }, 2);
      return exitCodes.done;
    }
    const { task, state, attempts, usage, outcome, failure, worker } = record;
    print(`${task.id}  ${state}${worker ? ` on ${worker}` : ''}, ${plural(attempts, 'attempt')}`);
    print(task.prompt);
    if (failure) print(`${failure.kind}: ${failure.message}`);
    print(
      `${usage.turns} turns, ${usage.inputTokens + usage.outputTokens} tokens, $${usage.cost.toFixed(4)}`,
    );
    if (outcome?.check) print(`check: ${outcome.check.ended}\n${outcome.check.output}`);
    if (outcome) print(`\n${outcome.response}`);
    for (const sentence of outcome?.leftOut ?? []) print(`left out: ${sentence}`);
    const patch = await patchOfTask(engine, record);
    if (patch) print(`\n${patch}`);
    return exitCodes.done;
  });
}

/** `fleet logs ID [-f]`: the calls of a task as its journal tells them, then as they happen. */
export function logs([id]: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const record = await requireRecord(engine, required(id, 'logs'));
    for (const line of (await journalOf(engine, record))?.split('\n') ?? []) printEntry(line);
    if (!args.switches.has('follow') || finalStates.includes(record.state)) return exitCodes.done;
    const over = new AbortController();
    const signal = AbortSignal.any([abortOnInterrupt(), over.signal]);
    await engine.listen((event) => {
      if ('id' in event && event.id !== record.task.id) return;
      if (event.type === 'task-log') printLine(event.line);
      if (event.type !== 'task-state') return;
      printLine(event.state);
      if ((finalStates as readonly string[]).includes(event.state)) over.abort();
    }, signal);
    return exitCodes.done;
  });
}

function printEntry(line: string): void {
  if (line === '') return;
  const entry = JSON.parse(line) as {
    type: string;
    tool?: string;
    args?: unknown;
    error?: { message: string };
  };
  if (entry.type === 'call-start') printLine(`· ${entry.tool} ${JSON.stringify(entry.args)}`);
  if (entry.type === 'call-end' && entry.error) printLine(`  ${entry.error.message.split('\n')[0]}`);
}

function required(id: string | undefined, action: string): string {
  if (id !== undefined) return id;
  throw new UsageError(`fleet ${action} needs the id of a task. toolwright fleet status --tasks lists them.`);
}

/** `fleet cancel ID…`, or --all. */
export function cancel(ids: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    if (ids.length === 0) throw new UsageError('fleet cancel needs the ids of tasks.');
    let count = 0;
    for (const id of ids) if (await cancelTask(engine, await requireRecord(engine, id))) count += 1;
    print(`${plural(count, 'task')} cancelled.`);
    return count === ids.length ? exitCodes.done : exitCodes.failure;
  });
}

/** `fleet retry ID…`, or --failed for all that failed. */
export function retry(ids: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const all = args.switches.has('failed');
    if (all === ids.length > 0) throw new UsageError('Name tasks, or say --failed for all that failed.');
    const count = await retryTasks(engine, ({ task, state }) =>
      all ? state === 'failed' : ids.some((id) => task.id.startsWith(id)),
    );
    print(`${plural(count, 'task')} put into the queue again.`);
    return exitCodes.done;
  });
}

/** `fleet questions`: what waits for an answer. */
export function questions(_words: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const found = await waitingQuestions(engine);
    for (const question of found) {
      const { id, title, request } = question;
      if (args.switches.has('json')) {
        printJson({ v: 1, ...question });
        continue;
      }
      print(`${id}  ${title}`);
      print(`  ${request.description}: ${request.reason}`);
      print(`  toolwright fleet answer ${id} yes|no`);
    }
    if (found.length === 0 && !args.switches.has('json')) print('No question is waiting.');
    return exitCodes.done;
  });
}

/** `fleet answer ID yes|no REASON`. */
export function answer([id, word, ...reason]: string[], args: Arguments): Promise<number> {
  if (id === undefined || (word !== 'yes' && word !== 'no'))
    throw new UsageError('Say which question, and yes or no: toolwright fleet answer ID yes, or no REASON.');
  return withFleet(args, async (engine) => {
    const given = { agrees: word === 'yes', reason: reason.length > 0 ? reason.join(' ') : undefined };
    const left = await answerQuestion(engine, id, given);
    print(
      left === 0 ? 'The task goes on.' : `Kept. ${plural(left, 'question')} of this task still to answer.`,
    );
    return exitCodes.done;
  });
}
