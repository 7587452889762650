import { type ApartFolders, formatBytes, plural } from '@toolwright/core/front-end';
import type { YesNo } from '../../app/yes-no.js';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { chosenItems } from './chosen.js';
import { idNamed, openFolders, type SavedApart, settleRest, withSaved } from './saved.js';

export async function drop([named, ...files]: string[], args: Arguments): Promise<number> {
  const folders = await openFolders();
  const id = await idNamed(folders, named, 'drop');
  if (files.length === 0) return dropWhole(folders, id, args);
  return withSaved(folders, id, { args, action: 'drop' }, (saved) => dropFiles(saved, files, args));
}

/** Needs no workspace: it may be gone, and what is written about the session may be damaged. */
async function dropWhole(folders: ApartFolders, id: string, args: Arguments): Promise<number> {
  const listed = (await folders.list()).find((each) => each.id === id);
  const { size, about } = listed!;
  const facts = [
    `It changed ${size.isPartial ? 'more than ' : ''}${plural(size.entries, 'file')} (${formatBytes(size.bytes)}).`,
    ...(about
      ? [`It worked in ${about.workspace}.`, ...(about.prompt ? [`It began with: ${about.prompt}`] : [])]
      : []),
  ];
  const question = {
    title: `Drop all changes of the session apart ${id}?`,
    facts,
    yes: FOR_GOOD,
    no: 'leave them',
  };
  let refusal: number | null = null;
  const isAgreed = async (): Promise<boolean> => {
    refusal = await unlessAgreed(question, args);
    return refusal === null;
  };
  if (!(await folders.remove(id, isAgreed))) return refusal ?? exitCodes.done;
  print(`Dropped: the session apart ${id}. Its conversation remains: toolwright sessions list.`);
  return exitCodes.done;
}

async function dropFiles(saved: SavedApart, files: readonly string[], args: Arguments): Promise<number> {
  const { about, apart, toolbox, signal } = saved;
  const { show, directory } = toolbox.host.workspace;
  const { review } = await apart.review(signal);
  const items = chosenItems(review, files, directory);
  const title = `Drop ${items.length} of ${plural(review.items.length, 'change')} of the session apart ${about.id}?`;
  const facts = items.map(({ path, change }) => `${change} ${show(path)}`);
  const refusal = await unlessAgreed({ title, facts, yes: FOR_GOOD, no: 'leave them' }, args, signal);
  if (refusal !== null) return refusal;
  await apart.drop(
    items.map(({ path }) => path),
    signal,
  );
  print(`Dropped: ${items.map(({ path }) => show(path)).join(', ')}`);
  await settleRest(saved);
  return exitCodes.done;
}

const FOR_GOOD = 'drop them: they are gone for good';

/** Null when the user agrees, else the exit code. */
async function unlessAgreed(
  question: YesNo,
  { switches }: Arguments,
  signal = abortOnInterrupt(),
): Promise<number | null> {
  if (switches.has('yes')) return null;
  if (!isStdinTerminal() || process.stderr.isTTY !== true) {
    warn('Nothing was dropped: there is no terminal to ask at. --yes drops without a question.');
    return exitCodes.nobodyToAsk;
  }
  const { askYesOrNoOnTerminal } = await import('../../ask/ask-on-terminal.js');
  if (await askYesOrNoOnTerminal(question, signal)) return null;
  print('Nothing was dropped.');
  return signal.aborted ? exitCodes.cancelled : exitCodes.done;
}
