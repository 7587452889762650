import { join } from 'node:path';
import { messageOf, SettingsError } from '@toolwright/machine/base/errors.js';
import { isJsonObject } from '@toolwright/machine/base/json.js';
import { openAppendFile, readJsonLines } from '@toolwright/machine/host/state/append-file.js';
import { lookAtSync } from '@toolwright/machine/host/state/inspect-files.js';
import { replaceFile } from '@toolwright/machine/host/state/replace-file.js';
import { reportHtml } from './report-html.js';
import { compareRuns, type EvalComparison, type EvalRun } from './results.js';
import { type RunTaskOptions, runTask } from './run-task.js';
import { type EvalTask, readTasks } from './task.js';

/** A run that is to be done: of this task, for this time. */
export interface EvalWork {
  task: EvalTask;
  /** The number, counted from 1. */
  number: number;
}

/** The tasks to evaluate, how often, and the place of the results. */
export interface EvalOptions extends Pick<RunTaskOptions, 'open' | 'answers' | 'signal'> {
  /** Folder with the tasks. */
  folder: string;
  /** Names of the tasks; all where empty. */
  only: readonly string[];
  /** Runs of each task. */
  times: number;
  atOnce: number;
  /** Folder for results and report. Runs that it holds already are not done again. */
  out: string;
  /** Results of an earlier evaluation to compare with. */
  against?: string;
  /** The model and whatever else must be the same for runs to belong together. */
  label: string;
  /** Has the runs done elsewhere, and tells each that ended; without it they are done here. */
  carry?(waiting: readonly EvalWork[], ended: (run: EvalRun) => Promise<void>): Promise<void>;
  onRun?(run: EvalRun, done: number, all: number): void;
}

/** The outcome of an evaluation. */
export interface DoneEval {
  runs: EvalRun[];
  /** Null where there is nothing to compare with. */
  comparison: EvalComparison | null;
  /** The file of the report. */
  report: string;
}

/** Runs every task so many times, each in a folder of its own, and writes results and a report. */
export async function runEval(options: EvalOptions): Promise<DoneEval> {
  const { out, times, signal } = options;
  const tasks = await readTasks(options.folder, options.only);
  const earlier = options.against === undefined ? null : await readRuns(options.against, true);
  const path = join(out, 'results.jsonl');
  await claim(options);
  const names = new Set(tasks.map(({ name }) => name));
  const runs = (await readRuns(out)).filter(({ task, number }) => names.has(task) && number <= times);
  const isDone = new Set(runs.map(({ task, number }) => `${task} ${number}`));
  const waiting = tasks
    .flatMap((task) => Array.from({ length: times }, (_, index) => ({ task, number: index + 1 })))
    .filter(({ task, number }) => !isDone.has(`${task.name} ${number}`));
  const all = runs.length + waiting.length;
  const file = await openAppendFile(path, 0o644);
  const ended = async (run: EvalRun): Promise<void> => {
    await file.append(JSON.stringify(run));
    runs.push(run);
    options.onRun?.(run, runs.length, all);
  };
  const carry = options.carry ?? ((work, tell) => runHere(work, tell, options));
  try {
    if (waiting.length > 0) await carry(waiting, ended);
  } finally {
    await file.close();
  }
  signal.throwIfAborted();
  const report = join(out, 'report.html');
  const comparison = earlier && compareRuns(earlier, runs);
  await replaceFile(report, reportHtml({ label: options.label, runs, comparison }), 0o644);
  return { runs, comparison, report };
}

/** Does the runs one after the other, so many side by side as there may be. */
async function runHere(
  work: readonly EvalWork[],
  ended: (run: EvalRun) => Promise<void>,
  options: EvalOptions,
): Promise<void> {
  const left = [...work];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next && !options.signal.aborted; next = left.shift())
      await ended(await runTask(next.task, { ...options, number: next.number }));
  };
  await Promise.all(Array.from({ length: Math.max(1, options.atOnce) }, lane));
}

/** A folder holds the runs of one model: others would be counted together with them. */
async function claim({ out, label }: EvalOptions): Promise<void> {
  const path = join(out, 'eval.json');
  if (!lookAtSync(path)) {
    await replaceFile(path, `${JSON.stringify({ v: 1, label })}\n`, 0o644).catch((error: unknown) => {
      throw new SettingsError(
        `The results can't be written to ${out}: ${messageOf(error)}. Name another folder with --out.`,
      );
    });
    return;
  }
  for await (const { value } of readJsonLines(path)) {
    const found = isJsonObject(value) ? String(value['label']) : '';
    if (found !== label)
      throw new SettingsError(
        `${out} holds runs of ${found}, not of ${label}. Name another folder with --out.`,
      );
  }
}

/** The runs of a folder; a line torn by a crash is passed over. */
async function readRuns(folder: string, isRequired = false): Promise<EvalRun[]> {
  const path = join(folder, 'results.jsonl');
  if (isRequired && !lookAtSync(path))
    throw new SettingsError(`${folder} holds no results of an evaluation.`);
  const runs: EvalRun[] = [];
  for await (const { value } of readJsonLines(path)) if (isRun(value)) runs.push(value);
  return runs;
}

function isRun(value: unknown): value is EvalRun {
  return isJsonObject(value) && typeof value['task'] === 'string' && typeof value['passed'] === 'boolean';
}
