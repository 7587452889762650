import { formatBytes, type ListedApart, plural } from '@toolwright/core/front-end';
import { exitCodes } from '../../base/exit-codes.js';
import { print, printJson, printLine } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { openFolders } from './saved.js';

export async function list(words: string[], { switches }: Arguments): Promise<number> {
  refuseFurther(words, 'apart list');
  const folders = await openFolders();
  await folders.sweep();
  const found = await folders.list();
  if (switches.has('json')) {
    printJson(found.map(asJson), 2);
    return exitCodes.done;
  }
  if (found.length === 0) print('No session apart is waiting for a review.');
  for (const each of found) for (const line of linesOf(each)) printLine(line);
  return exitCodes.done;
}

function asJson({ about, size, ageMs, ...listed }: ListedApart) {
  const { session, workspace, prompt, startedAt } = about ?? {};
  const { bytes, entries, isPartial } = size;
  return { ...listed, session, workspace, prompt, startedAt, ageMs, bytes, files: entries, isPartial };
}

const LONGEST_PROMPT = 80;

function linesOf({ id, path, about, problem, heldBy, ageMs, size }: ListedApart): string[] {
  const more = size.isPartial ? 'more than ' : '';
  const facts = [
    `${ageText(ageMs)} old`,
    `${more}${plural(size.entries, 'file')}`,
    `${more}${formatBytes(size.bytes)}`,
  ];
  const prompt = about?.prompt.replace(/\s+/g, ' ').trim().slice(0, LONGEST_PROMPT);
  return [
    `${id}  ${facts.join(', ')}  ${prompt || '(no prompt)'}`,
    ...(about ? [`    in ${about.workspace}`] : []),
    ...(heldBy === null ? [] : [`    in use by ${heldBy}`]),
    ...(problem === null ? [] : [`    damaged: ${problem} What was changed is in ${path}`]),
  ];
}

const MINUTE_MS = 60_000;

/** The largest whole unit: nobody reviews by the second. */
function ageText(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 60) return plural(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? plural(hours, 'hour') : plural(Math.floor(hours / 24), 'day');
}
