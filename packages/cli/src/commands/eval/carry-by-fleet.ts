import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SettingsError } from '@toolwright/core';
import { createIds, type EvalRun, type EvalWork } from '@toolwright/core/front-end';
import {
  cancelTask,
  type Engine,
  finalStates,
  records,
  TASK_FORMAT,
  type Task,
  type TaskRecord,
} from '@toolwright/fleet';
import { warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withFleet } from '../fleet/open-fleet.js';
import { requireModel } from '../fleet/work/require-model.js';
import { workHere } from '../fleet/work/task-agent.js';

interface FleetCarrier {
  /** The parent of the folders that tasks start with; every worker must see them under this path. */
  folder: string;
  /** Tasks at a time in this process. */
  slots: number;
  /** The model, as the runs name it. */
  model: string;
  signal: AbortSignal;
}

/** Has the runs of an evaluation done by a fleet, of which this process is one worker. */
export function carryByFleet(args: Arguments, { folder, slots, model, signal }: FleetCarrier) {
  return (waiting: readonly EvalWork[], ended: (run: EvalRun) => Promise<void>): Promise<void> =>
    withFleet(args, async (engine) => {
      const ids = createIds();
      const pending = new Map<string, { work: EvalWork; task: Task }>();
      for (const work of waiting) {
        const task = taskOf(work, { id: ids.next(), folder });
        pending.set(task.id, { work, task });
      }
      const own = { ...args, lists: new Map(args.lists).set('root', [folder]) };
      await requireModel(own);
      await engine.submit([...pending.values()].map(({ task }) => task));
      const working = workHere(engine, own, { slots, untilEmpty: true, signal, say: warn });
      let isStopped = false;
      void working.then(({ kind }) => void (isStopped = kind === 'stopped'));
      try {
        while (pending.size > 0 && !isStopped && !signal.aborted) {
          await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
          for await (const record of records(engine)) {
            const found = pending.get(record.task.id);
            if (!found || !(await isOver(record, engine))) continue;
            pending.delete(record.task.id);
            await ended(runOf(record, found.work, model));
          }
        }
      } finally {
        // Cancels the tasks that nobody waits for any more.
        for (const { task } of pending.values()) await cancelTask(engine, { task });
      }
      const end = await working;
      if (end.kind === 'stopped') throw new SettingsError(end.reason);
    });
}

const LOOK_EVERY_MS = 300;

/** A question ends a run: nobody is asked in an evaluation. */
async function isOver(record: TaskRecord, engine: Engine): Promise<boolean> {
  if (record.state === 'parked') await cancelTask(engine, record);
  return record.state === 'parked' || finalStates.includes(record.state);
}

const MINUTE_MS = 60_000;

function taskOf({ task }: EvalWork, { id, folder }: { id: string; folder: string }): Task {
  const start = join(folder, task.name);
  mkdirSync(start, { recursive: true });
  for (const { path, bytes, mode } of task.environment) layOut(join(start, path), bytes, mode);
  return {
    id,
    format: TASK_FORMAT,
    prompt: task.instruction,
    workspace: { kind: 'folder', path: start },
    labels: [],
    budget: { minutes: task.agentLimitMs / MINUTE_MS },
    check: checkOf(task),
  };
}

function layOut(whole: string, bytes: Uint8Array, mode: number): void {
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, bytes);
  chmodSync(whole, mode);
}

/** A command line is one argument of a program, which may have 128 KB. */
const LONGEST_CHECK = 120_000;

/** The test travels in the command that runs it: the agent has not seen it, and no worker needs another file. */
function checkOf({ name, tests, testLimitMs }: EvalWork['task']): string {
  const files = tests.flatMap(({ path, bytes, mode }) => {
    const place = quoted(`tests/${path}`);
    return [
      `mkdir -p ${quoted(dirname(`tests/${path}`))} && rm -rf ${place} && base64 -d > ${place} <<'END' && chmod ${mode.toString(8)} ${place}`,
      Buffer.from(bytes).toString('base64'),
      'END',
    ];
  });
  const check = ['set -e', ...files, `exec timeout ${testLimitMs / 1_000} bash tests/test.sh`].join('\n');
  if (check.length > LONGEST_CHECK)
    throw new SettingsError(`The tests of ${name} are too large for a fleet: 80 KB at most. Run them here.`);
  return check;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function runOf(
  { state, usage, outcome, failure, startedAt, endedAt }: TaskRecord,
  { task, number }: EvalWork,
  model: string,
): EvalRun {
  const isParked = state === 'parked';
  const why = isParked ? 'It needed an answer, and there was nobody to ask.' : (failure?.message ?? null);
  return {
    v: 1,
    task: task.name,
    number,
    model,
    passed: state === 'done',
    ended: outcome?.check?.ended ?? state,
    output: outcome?.check?.output ?? '',
    reason: outcome?.check ? 'done' : null,
    turns: usage.turns,
    calls: usage.calls,
    refused: isParked ? 1 : 0,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost: usage.cost > 0 ? usage.cost : null,
    durationMs: startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : 0,
    error: failure?.kind === 'check' || state === 'done' ? null : why,
  };
}
