import { type ApartFolders, formatBytes, plural } from '@toolwright/core';
import type { YesNo } from '../../app/yes-no.js';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { print, warn } from '../../base/print.js';
import { isStdinTerminal } from '../../base/read-stdin.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { idNamed, openFolders } from './saved.js';

export async function drop([named, ...further]: string[], args: Arguments): Promise<number> {
  const folders = await openFolders();
  const id = await idNamed(folders, named, 'drop');
  refuseFurther(further, 'apart drop ID');
  return dropWhole(folders, id, args);
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
    yes: 'drop them: they are gone for good',
    no: 'leave them',
  };
  let refusal: number | null = null;
  const isAgreed = async (): Promise<boolean> => {
    refusal = await unlessAgreed(question, args);
    return refusal === null;
  };
  if (!(await folders.remove(id, isAgreed))) return refusal ?? exitCodes.done;
  print(`Dropped: the session apart ${id}. Its conversation stays: toolwright sessions list.`);
  return exitCodes.done;
}

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
