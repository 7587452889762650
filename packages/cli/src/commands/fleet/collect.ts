import { resolve } from 'node:path';
import { isToolError, messageOf, plural, SettingsError } from '@toolwright/core';
import {
  changesOf,
  collectBranch,
  collectPatch,
  type Engine,
  fromPortable,
  gitAuthor,
  type PortableChanges,
  records,
  requireRecord,
  type TaskRecord,
} from '@toolwright/fleet';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { withToolbox } from '../../setup/runtime.js';
import { withFleet } from './open-fleet.js';

/** `fleet collect [ID…]`: the change sets of tasks that are done, as patches, as branches, or into their folders. */
export function collect(ids: string[], args: Arguments): Promise<number> {
  const to = args.values.get('to') ?? 'patches';
  if (args.switches.has('review') && !(isStdinTerminal() && process.stderr.isTTY))
    throw new UsageError('--review asks about each task, and there is no terminal to ask at.');
  return withFleet(args, async (engine) => {
    const tasks = await chosen(engine, ids);
    if (tasks.length === 0) print('No task has changes to collect.');
    let failed = 0;
    for (const record of tasks) {
      try {
        print(`${record.task.id}  ${await collectOne(engine, record, { to, args })}`);
      } catch (error) {
        if (!(error instanceof SettingsError) && !isToolError(error)) throw error;
        failed += 1;
        warn(`${record.task.id}: ${messageOf(error)}`);
      }
    }
    return failed > 0 ? exitCodes.failure : exitCodes.done;
  });
}

/** Only work that came to its end, and whose check passed where it has one. */
async function chosen(engine: Engine, ids: string[]): Promise<TaskRecord[]> {
  const found: TaskRecord[] = [];
  if (ids.length > 0) for (const id of ids) found.push(await requireRecord(engine, id));
  else for await (const record of records(engine)) found.push(record);
  return found
    .filter(({ state, outcome }) => state === 'done' && outcome !== undefined && outcome.files > 0)
    .sort((one, other) => (one.task.id < other.task.id ? -1 : 1));
}

async function collectOne(
  engine: Engine,
  record: TaskRecord,
  { to, args }: { to: string; args: Arguments },
): Promise<string> {
  if (args.switches.has('review') || to === 'folder') {
    const changes = await changesOf(engine, record);
    return changes ? intoFolder(record, changes, args) : 'nothing';
  }
  if (to === 'branches') {
    const repository = args.values.get('repository') ?? folderOf(record);
    const branch = await collectBranch(engine, record, {
      repository,
      author: args.values.get('author') ?? (await gitAuthor(repository)),
    });
    return `branch ${branch}`;
  }
  return (await collectPatch(engine, record, resolve(args.values.get('directory') ?? '.'))) ?? 'nothing';
}

function folderOf({ task }: TaskRecord): string {
  if (task.workspace.kind === 'folder') return task.workspace.path;
  throw new SettingsError(
    'This task worked on a clone: name a repository that holds its commit with --repository DIR.',
  );
}

/** Through a view of the folder: rules hold, what others changed meanwhile is merged, and undo takes it back. */
function intoFolder(record: TaskRecord, changes: PortableChanges, args: Arguments): Promise<string> {
  const folder = folderOf(record);
  const signal = abortOnInterrupt();
  const own = { ...args, values: new Map([['workspace', folder]]) };
  return withToolbox(own, { front: 'fleet', mayAsk: false }, async (toolbox) => {
    const { apart, changes: view, host } = toolbox;
    await apart.begin({ prompt: record.task.prompt }, signal);
    try {
      await view.commit(fromPortable(changes, host.workspace.directory, host.ids.next()), { signal });
      const { review, hunks } = await apart.review(signal);
      const { show } = host.workspace;
      const choice = args.switches.has('review')
        ? await askAbout(record, review, { show, hunks, signal })
        : ('all' as const);
      if (choice !== 'all' && choice.size === 0) return 'nothing was kept';
      const kept = await apart.keep(
        { digest: review.digest, choice, allOrNothing: choice === 'all' },
        signal,
      );
      for (const { path, why } of kept.conflicts) warn(`${show(path)}: ${why}`);
      if (!kept.changeSet) throw new SettingsError('Nothing could be kept; see above.');
      return `${plural(kept.changeSet.changes.length, 'change')} kept in ${folder}`;
    } finally {
      await apart.drop('all', signal).catch(() => undefined);
    }
  });
}

type Reviewed = Parameters<typeof import('../../ask/review.js').askReview>;

async function askAbout(
  { title }: TaskRecord,
  review: Reviewed[0],
  options: Pick<Reviewed[1], 'show' | 'hunks' | 'signal'>,
): ReturnType<typeof import('../../ask/review.js').askReview> {
  const { withTerminal } = await import('../../ask/ask-on-terminal.js');
  const { askReview } = await import('../../ask/review.js');
  const asking = { ...options, title: `Keep what this task changed? ${title}`, leave: 'keep none of it' };
  return withTerminal(({ ask }) => askReview(review, { ...asking, ask }));
}
