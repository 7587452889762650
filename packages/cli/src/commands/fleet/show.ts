import { plural } from '@toolwright/core/front-end';
import {
  createLook,
  type Engine,
  patchOfTask,
  placeOf,
  requireRecord,
  type TaskRecord,
  timeOf,
} from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { print, printJson } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { withFleet } from './open-fleet.js';
import { requireId } from './tasks.js';

/** `fleet show ID`: everything about one task, and its patch. */
export async function show([id, ...further]: string[], args: Arguments): Promise<number> {
  refuseFurther(further, 'fleet show ID');
  return withFleet(args, (engine) => showTask(engine, requireId(id, 'show'), args));
}

async function showTask(engine: Engine, id: string, { switches }: Arguments): Promise<number> {
  const record = await requireRecord(engine, id);
  const patch = await patchOfTask(engine, record);
  if (switches.has('json')) printJson({ ...record, patch }, 2);
  else {
    const isLost = await createLook(engine)(record);
    for (const text of wordsOf(record, { patch, isLost })) print(text);
  }
  return exitCodes.done;
}

function wordsOf(record: TaskRecord, { patch, isLost }: { patch: string | null; isLost: boolean }): string[] {
  const { task, state, usage, outcome, failure, kept, questions = [] } = record;
  const tokens = plural(usage.inputTokens + usage.outputTokens, 'token');
  const asked = state === 'parked' ? questions : [];
  return [
    `${task.id}  ${placeOf(task, process.cwd())}`,
    howItStands(record),
    isLost && 'lost: its worker is gone; another worker will continue it',
    task.prompt,
    // The check says itself that it failed.
    failure && state !== 'done' && failure.kind !== 'check' && `${failure.kind}: ${failure.message}`,
    ...asked.map(({ description, reason }) => `question: ${description}: ${reason}`),
    `${plural(usage.turns, 'turn')}, ${tokens}, $${usage.cost.toFixed(4)}`,
    outcome?.check &&
      `check ${outcome.check.passed ? 'passed' : 'failed'}: ${task.check}: ${outcome.check.ended}`,
    outcome?.check?.output.trimEnd(),
    outcome?.response && `\n${outcome.response}`,
    ...(outcome?.leftOut ?? []).map((sentence) => `left out: ${sentence}`),
    kept && `kept: ${kept.as} ${kept.where}`,
    patch && `\n${patch}`,
  ].filter((text): text is string => typeof text === 'string' && text !== '');
}

function howItStands(record: TaskRecord): string {
  const { state, worker, attempts } = record;
  const where = worker ? ` on ${worker}` : '';
  return [`${state}${where}`, plural(attempts, 'attempt'), timeOf(record)].filter(Boolean).join(', ');
}
