import {
  type Choice,
  NOTHING_KEPT,
  plural,
  type ReviewedWork,
  refusedUnseenOfWork,
} from '@toolwright/core/front-end';
import {
  keepChosen,
  keepUnseen,
  nothingKept,
  type SettledChanges,
  type WaitingChanges,
} from '../../actions/waiting-changes.js';
import { exitCodes } from '../../base/exit-codes.js';
import { print, printJson, warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { chosenItems } from './chosen.js';
import { idNamed, openFolders, type SavedApart, settleRest, withSaved } from './saved.js';

export async function keep([named, ...files]: string[], args: Arguments): Promise<number> {
  const folders = await openFolders();
  const id = await idNamed(folders, named, 'keep');
  return withSaved(folders, id, { args, action: 'keep' }, (saved) => keepSome(saved, files, args));
}

async function keepSome(saved: SavedApart, files: readonly string[], args: Arguments): Promise<number> {
  const { apart, toolbox, signal } = saved;
  const { show } = toolbox.host.workspace;
  const isUnseen = args.switches.has('yes');
  const reviewed = await apart.review(signal);
  for (const { path, why } of reviewed.refused) warn(`Can't be kept: ${show(path)}: ${why}`);
  if (reviewed.review.items.length === 0) print('There is nothing to keep.');
  else if (!isUnseen && !canAsk()) {
    warn('Nothing was kept: there is no terminal to ask at. --yes keeps without a question.');
    return exitCodes.nobodyToAsk;
  }
  const settled = await settle(saved, reviewed, { files, isUnseen });
  const waiting = await settleRest(saved);
  if (args.switches.has('json')) printJson(asJson(settled, waiting), 2);
  if (signal.aborted) return exitCodes.cancelled;
  const isWhole = settled.refused.length + (files.length > 0 ? 0 : reviewed.refused.length) === 0;
  return isUnseen && !isWhole ? exitCodes.failure : exitCodes.done;
}

function canAsk(): boolean {
  return isStdinTerminal() && process.stderr.isTTY === true;
}

interface KeepSomeOptions {
  /** The files to keep; all changes when none is named. */
  files: readonly string[];
  /** True if nobody is asked. */
  isUnseen: boolean;
}

async function settle(
  saved: SavedApart,
  reviewed: ReviewedWork,
  { files, isUnseen }: KeepSomeOptions,
): Promise<SettledChanges> {
  const { about, apart, toolbox, signal } = saved;
  const { show } = toolbox.host.workspace;
  const { review } = reviewed;
  if (review.items.length === 0) return nothingKept;
  const items =
    files.length === 0 ? review.items : chosenItems(review, files, toolbox.host.workspace.directory);
  const named: Choice | 'all' =
    files.length === 0 ? 'all' : new Map(items.map(({ path }) => [path, 'whole']));
  const waiting: WaitingChanges = {
    refusedUnseen: async () => refusedUnseenOfWork(reviewed, named, toolbox),
    keep: (choice, keepSignal) =>
      apart.keep({ digest: review.digest, choice, allOrNothing: isUnseen }, keepSignal),
  };
  const remedy = 'Keep them at a terminal without --yes.';
  if (isUnseen) return keepUnseen(waiting, { choice: named, show, signal, remedy });
  const count =
    files.length === 0 ? 'all changes' : `${items.length} of ${plural(review.items.length, 'change')}`;
  const { withTerminal } = await import('../../ask/ask-on-terminal.js');
  const { askReview } = await import('../../ask/review.js');
  const asking = {
    title: `Keep ${count} of the session apart ${about.id}?`,
    leave: 'keep nothing for now',
    show,
    hunks: reviewed.hunks,
    signal,
  };
  const answer = await withTerminal(({ ask }) => askReview({ ...review, items }, { ...asking, ask }));
  const choice = answer === 'all' ? named : answer;
  if (choice === 'all' || choice.size > 0) return keepChosen(waiting, { choice, show, signal });
  print(NOTHING_KEPT);
  return nothingKept;
}

function asJson({ kept, refused }: SettledChanges, waiting: number) {
  const conflicts = refused.length > 0 ? refused : (kept?.conflicts ?? []);
  return { kept: kept?.changeSet?.id ?? null, merged: kept?.merged ?? [], conflicts, waiting };
}
