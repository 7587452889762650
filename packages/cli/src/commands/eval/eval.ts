import { join, resolve } from 'node:path';
import { createAgent } from '@toolwright/core';
import { type EvalRun, runEval } from '@toolwright/core/front-end';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { type Flag, permissionFlags, promptFlags } from '../../command-line/flags.js';
import { agentOptions, readSetup } from '../../setup/runtime.js';
import { defineCommand } from '../command.js';
import { engineFlags } from '../fleet/engine-flags.js';
import { printEval, summaryJson } from './print.js';

const passedOn = ['provider', 'model', 'base-url', 'max-turns', 'effort'];

const flags: readonly Flag[] = [
  { name: 'times', short: 'k', value: 'N', help: 'Runs of each task (default: 1).' },
  { name: 'tasks', value: 'NAMES', list: true, help: 'Only these tasks.' },
  {
    name: 'out',
    value: 'DIR',
    help: 'Folder for results and report (default: eval-out). Runs already in it are not repeated.',
  },
  { name: 'against', value: 'DIR', help: 'Compare with the results in this folder.' },
  { name: 'at-once', value: 'N', help: 'Tasks at a time (default: 1).' },
  { name: 'recorded', help: 'Take the answers from answers.jsonl of each task: no model is asked.' },
  { name: 'save-answers', help: 'Keep the answers of runs that passed in answers.jsonl of the task.' },
  { name: 'json', help: 'Print the summary as JSON.' },
  ...engineFlags,
  ...permissionFlags,
  ...promptFlags.filter(({ name }) => passedOn.includes(name)),
];

const usage = `  toolwright eval TASKS -k 5 --model NAME         each task five times, in folders of their own
  toolwright eval TASKS --out b --against a       the same with a comparison
  toolwright eval TASKS --engine PLACE            by a fleet: its workers share the runs
  toolwright eval TASKS --recorded                without a model, with answers that are kept beside the tasks

TASKS is a folder of tasks in the layout of Terminal-Bench: task.toml, instruction.md, environment/, tests/test.sh.
A run passes when its test exits with 0. Nobody is asked: a call that would need a question is refused.

It exits with 0 when every run passed, 1 when one did not, 130 when it was cancelled; the same command then continues.`;

export const run = defineCommand({ usage, flags, run: evaluate });

async function evaluate(args: Arguments): Promise<number> {
  const { words, values, switches, lists } = args;
  const [folder, ...further] = words;
  refuseFurther(further, 'eval FOLDER');
  if (folder === undefined) throw new UsageError('eval needs a folder of tasks: toolwright eval TASKS -k 3');
  const isRecorded = switches.has('recorded');
  if (isRecorded && (switches.has('save-answers') || values.has('model')))
    throw new UsageError('--recorded asks no model: leave out --model and --save-answers.');
  const isByFleet = values.has('engine');
  if (isByFleet && (isRecorded || switches.has('save-answers')))
    throw new UsageError('A fleet asks the models of its workers: leave out --recorded and --save-answers.');
  const signal = abortOnInterrupt();
  const isJson = switches.has('json');
  const against = values.get('against');
  const label = isRecorded ? 'recorded answers' : await labelOf(args);
  const out = resolve(values.get('out') ?? 'eval-out');
  const atOnce = countIn(args, 'at-once') ?? 1;
  const done = await orCancelled(signal, {
    folder: resolve(folder),
    only: lists.get('tasks') ?? [],
    times: countIn(args, 'times') ?? 1,
    atOnce,
    out,
    against: against !== undefined ? resolve(against) : undefined,
    label,
    answers: isRecorded ? 'recorded' : switches.has('save-answers') ? 'saved' : 'model',
    open: opener(args),
    carry: isByFleet ? await fleetCarrier(args, { out, slots: atOnce, model: label, signal }) : undefined,
    onRun: (each, count, all) => warn(`${count} of ${all}: ${lineOf(each)}`),
    signal,
  });
  if (done === null) return exitCodes.cancelled;
  if (isJson) printJson(summaryJson(done), 2);
  else printEval(done);
  return done.runs.every(({ passed }) => passed) ? exitCodes.done : exitCodes.failure;
}

/** Null after Ctrl+C: the runs that ended are kept. */
async function orCancelled(
  signal: AbortSignal,
  options: Parameters<typeof runEval>[0],
): Promise<Awaited<ReturnType<typeof runEval>> | null> {
  try {
    return await runEval(options);
  } catch (error) {
    if (!signal.aborted) throw error;
    warn('Cancelled. Run the same command again to continue with the runs that are left.');
    return null;
  }
}

async function fleetCarrier(
  args: Arguments,
  { out, ...more }: { out: string; slots: number; model: string; signal: AbortSignal },
): Promise<Parameters<typeof runEval>[0]['carry']> {
  const { carryByFleet } = await import('./carry-by-fleet.js');
  return carryByFleet(args, { ...more, folder: join(out, 'tasks') });
}

/** The settings of the user hold, not those of a task. */
function opener(args: Arguments): Parameters<typeof runEval>[0]['open'] {
  const front = { front: 'eval', mayAsk: false, onEvent: () => undefined };
  return async (workspace, options) => {
    const own = { ...args, values: new Map(args.values).set('workspace', workspace) };
    const { confirm: _nobody, ...rest } = await agentOptions(own, front, await readSetup(own));
    return createAgent({ ...rest, ...options });
  };
}

async function labelOf(args: Arguments): Promise<string> {
  const { settings } = (await readSetup(args)).loaded;
  return settings.model.name ?? settings.model.provider ?? 'the default model';
}

function lineOf({ task, number, passed, ended, error }: EvalRun): string {
  return `${task}, run ${number}: ${passed ? 'passed' : `failed, ${error ?? ended}`}`;
}

const MOST = 1_000;

function countIn({ values }: Arguments, name: string): number | null {
  const given = values.get(name);
  if (given === undefined) return null;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return count;
  throw new UsageError(`--${name} ${given}: must be a whole number from 1 to ${MOST}.`);
}
