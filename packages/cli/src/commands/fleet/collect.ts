import { resolve } from 'node:path';
import { isToolError, SettingsError } from '@toolwright/core';
import { messageOf, plural } from '@toolwright/core/front-end';
import {
  collectBranch,
  collectPatch,
  type Engine,
  gitAuthor,
  type KeptChanges,
  markKept,
  placeOf,
  records,
  requireRecord,
  type TaskRecord,
} from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { type Collecting, folderFor, intoFolder } from './collect-folder.js';
import { withFleet } from './open-fleet.js';

/** `fleet collect [ID…]`: the change sets of tasks that are done, as patches, as branches, or into their folders. */
export function collect(ids: string[], args: Arguments): Promise<number> {
  const asks = args.switches.has('review');
  const to = args.values.get('to') ?? (asks ? 'folder' : 'patches');
  if (asks && to !== 'folder') throw new UsageError('--review keeps changes in the folder: leave --to out.');
  if (asks && !(isStdinTerminal() && process.stderr.isTTY))
    throw new UsageError('--review asks about each task, and there is no terminal to ask at.');
  const author = args.values.get('author');
  if (author !== undefined && !/^[^<>]+ <[^<>]+>$/.test(author))
    throw new UsageError(`--author ${author}: write it as "Name <mail>".`);
  const as = to === 'folder' ? 'folder' : to === 'branches' ? 'branch' : 'patch';
  const signal = abortOnInterrupt();
  return withFleet(args, async (engine) => {
    const { tasks, earlier } = await chosen(engine, ids, as);
    if (earlier > 0)
      warn(`${plural(earlier, 'task')} collected this way before; name them to collect them again.`);
    if (tasks.length === 0) print('No task has changes to collect.');
    const failed = await collectEach(tasks, { engine, args, as, asks, signal, warn });
    if (args.values.has('report')) await (await import('./table.js')).writeReportOf(engine, args);
    if (signal.aborted) return exitCodes.cancelled;
    return failed > 0 ? exitCodes.failure : exitCodes.done;
  });
}

/** Gives the ids of work that came to its end, and whose check passed where it has one; in the order in which it was submitted. */
async function chosen(
  engine: Engine,
  ids: string[],
  as: KeptChanges['as'],
): Promise<{ tasks: string[]; earlier: number }> {
  const tasks: string[] = [];
  let earlier = 0;
  for (const id of ids) tasks.push(requireWork(await requireRecord(engine, id)).task.id);
  if (ids.length === 0)
    for await (const record of records(engine)) {
      if (!hasWork(record)) continue;
      if (record.kept?.as === as) earlier += 1;
      else tasks.push(record.task.id);
    }
  return { tasks: tasks.sort(), earlier };
}

function hasWork({ state, outcome }: TaskRecord): boolean {
  return state === 'done' && outcome !== undefined && outcome.files > 0;
}

function requireWork(record: TaskRecord): TaskRecord {
  if (hasWork(record)) return record;
  const { task, state } = record;
  const why = state === 'done' ? 'it has changed nothing' : `it is ${state}`;
  throw new SettingsError(`${task.id} has nothing to collect: ${why}.`);
}

/** Collects one task after the other; gives how many could not be, such as one that was forgotten meanwhile. */
export async function collectEach(tasks: readonly string[], collecting: Collecting): Promise<number> {
  let failed = 0;
  for (const [index, id] of tasks.entries()) {
    if (collecting.signal.aborted) break;
    let name = id;
    try {
      const record = await requireRecord(collecting.engine, id);
      name = `${id}  ${placeOf(record.task, process.cwd())}`;
      print(`${name}: ${await collectOne(record, collecting, `${index + 1} of ${tasks.length}`)}`);
    } catch (error) {
      if (collecting.signal.aborted) break;
      if (!(error instanceof SettingsError) && !isToolError(error)) throw error;
      failed += 1;
      collecting.warn(`${name}: ${messageOf(error)}`);
    }
  }
  return failed;
}

async function collectOne(record: TaskRecord, collecting: Collecting, place: string): Promise<string> {
  const { engine, as } = collecting;
  if (as === 'folder') return intoFolder(record, { ...collecting, place });
  const where = as === 'branch' ? await asBranch(record, collecting) : await asPatch(record, collecting);
  await markKept(engine, record, { as, where });
  return as === 'branch' ? `branch ${where}` : where;
}

async function asBranch(record: TaskRecord, { engine, args }: Collecting): Promise<string> {
  const repository = folderFor(record, args);
  const author = args.values.get('author') ?? (await gitAuthor(repository));
  return collectBranch(engine, record, { repository, author });
}

function asPatch(record: TaskRecord, { engine, args }: Collecting): Promise<string> {
  return collectPatch(engine, record, resolve(args.values.get('directory') ?? '.'));
}
