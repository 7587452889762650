import { resolve } from 'node:path';
import { type PlannedChanges, SettingsError, type Toolbox } from '@toolwright/core';
import {
  type CheckResult,
  checkWork,
  createClock,
  mergeWithPresent,
  plural,
} from '@toolwright/core/front-end';
import {
  changesOf,
  type Engine,
  fromPortable,
  hashBefore,
  type KeptChanges,
  markKept,
  placeOf,
  type TaskRecord,
} from '@toolwright/fleet';
import { warn } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { withToolbox } from '../../setup/runtime.js';

/** The options of keeping a task's changes. */
export interface Collecting {
  engine: Engine;
  args: Arguments;
  as: KeptChanges['as'];
  /** Asks what to keep of each task. */
  asks: boolean;
  signal: AbortSignal;
  /** Takes the line about a task that could not be collected. */
  warn(line: string): void;
}

interface IntoFolder extends Collecting {
  /** `2 of 5` */
  place: string;
}

/** Through a view of the folder: rules hold, what others changed meanwhile is merged, and undo takes it back. */
export async function intoFolder(record: TaskRecord, collecting: IntoFolder): Promise<string> {
  const { args, engine, signal } = collecting;
  const changes = await changesOf(engine, record);
  if (!changes) throw new SettingsError('Its changes are no longer in the store.');
  const folder = folderFor(record, args);
  const own = { ...args, values: new Map([['workspace', folder]]) };
  return withToolbox(own, { front: 'fleet', mayAsk: false }, async (toolbox) => {
    const { apart, changes: view, host } = toolbox;
    const planned = fromPortable(changes, host.workspace.directory, host.ids.next());
    const { merged, ready } = await mergedInto(planned, changes.bases ?? {}, toolbox, collecting);
    if (ready.changeSet.changes.length === 0) return keptAlready(record, collecting, folder);
    await apart.begin({ prompt: record.task.prompt }, signal);
    try {
      await view.commit(ready, { signal });
      if (merged > 0) await requirePassed(record, toolbox, signal);
      return await keep(record, toolbox, { ...collecting, folder });
    } finally {
      await apart.drop('all', signal).catch(() => undefined);
    }
  });
}

/** Merges all changes of the task, or none: with a part of them the check would say nothing. */
async function mergedInto(
  planned: PlannedChanges,
  bases: Readonly<Record<string, string>>,
  { host }: Toolbox,
  { signal }: IntoFolder,
): Promise<{ ready: PlannedChanges; merged: number }> {
  const result = await mergeWithPresent(planned, {
    files: host.files,
    signal,
    async readBase(change) {
      const base = bases[hashBefore(change) ?? ''];
      return base === undefined ? null : Buffer.from(base, 'base64');
    },
  });
  const { show } = host.workspace;
  const reasons = result.conflicts.map(({ path, why }) => `${show(path)} ${why}`);
  if (reasons.length > 0) throw new SettingsError(`None of it was kept: ${reasons.join('; ')}.`);
  return { ready: result.planned, merged: result.merged.length };
}

async function keptAlready(record: TaskRecord, { engine }: IntoFolder, folder: string): Promise<string> {
  await markKept(engine, record, { as: 'folder', where: folder });
  return 'the folder has these changes already';
}

const CHECK_LIMIT_MS = 600_000;

/** The check passed without what others have changed meanwhile. */
async function requirePassed({ task }: TaskRecord, toolbox: Toolbox, signal: AbortSignal): Promise<void> {
  if (task.check === undefined) return;
  const options = { command: task.check, limitMs: CHECK_LIMIT_MS, clock: createClock(), signal };
  const check: CheckResult = await checkWork(toolbox, options);
  if (!check.passed)
    throw new SettingsError(
      `None of it was kept: merged with what was changed meanwhile, the check fails: ${check.ended}.\n${check.output}`.trimEnd(),
    );
}

async function keep(
  record: TaskRecord,
  { apart, host }: Toolbox,
  { asks, engine, folder, place, signal }: IntoFolder & { folder: string },
): Promise<string> {
  const { review, hunks } = await apart.review(signal);
  const { show } = host.workspace;
  const choice = asks ? await askAbout(record, review, { show, hunks, signal }, place) : ('all' as const);
  if (choice !== 'all' && choice.size === 0) return 'nothing was kept';
  const kept = await apart.keep({ digest: review.digest, choice, allOrNothing: choice === 'all' }, signal);
  for (const { path, why } of kept.conflicts) warn(`${show(path)}: ${why}`);
  if (!kept.changeSet) throw new SettingsError('Nothing could be kept; see above.');
  await markKept(engine, record, { as: 'folder', where: folder });
  const merged = kept.merged.length > 0 ? ', merged with what was changed meanwhile' : '';
  return `${plural(kept.changeSet.changes.length, 'change')} kept${merged}`;
}

type Reviewed = Parameters<typeof import('../../ask/review.js').askReview>;

async function askAbout(
  { task, title }: TaskRecord,
  review: Reviewed[0],
  options: Pick<Reviewed[1], 'show' | 'hunks' | 'signal'>,
  place: string,
): ReturnType<typeof import('../../ask/review.js').askReview> {
  const { withTerminal } = await import('../../ask/ask-on-terminal.js');
  const { askReview } = await import('../../ask/review.js');
  const asking = {
    ...options,
    title: `Task ${place}, ${placeOf(task, process.cwd())}: ${title}`,
    leave: 'keep none of it',
  };
  return withTerminal(({ ask }) => askReview(review, { ...asking, ask }));
}

/** The folder of the task; for a clone the one that the user names. */
export function folderFor({ task }: TaskRecord, { values }: Arguments): string {
  if (task.workspace.kind === 'folder') return task.workspace.path;
  const named = values.get('repository');
  if (named !== undefined) return resolve(named);
  throw new SettingsError(
    'This task worked on a clone: name a repository that holds its commit with --repository DIR.',
  );
}
