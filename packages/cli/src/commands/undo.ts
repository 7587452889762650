import type { Toolbox } from '@toolwright/core';
import {
  changeNamed,
  changesHere,
  type UndoOptions,
  type UndoResult,
  undo,
  undoChange,
} from '../actions/undo.js';
import { describeChanges } from '../actions/undo-list.js';
import { exitCodes, UsageError } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { print, printJson } from '../base/print.js';
import { refuseFurther } from '../command-line/args.js';
import { withToolbox } from '../setup/runtime.js';
import { defineCommand } from './command.js';
import { printReport } from './print-report.js';

const flags = [
  { name: 'to', value: 'ID', help: 'Undo every change made after this one, newest first.' },
  { name: 'list', help: 'Show the changes of this workspace, newest first.' },
  { name: 'json', help: 'Print JSON.' },
];

/** Takes back this workspace's latest change, or the one named by its id or the id of its call. */
export const run = defineCommand({
  usage: `  toolwright undo            take back the latest change of this workspace
  toolwright undo ID         take back one change, by its id or the id of its call
  toolwright undo --to ID    take back everything after that change
  toolwright undo --list     show them, newest first: what made each, the command, the files`,
  flags,
  async run(args) {
    const isList = args.switches.has('list');
    const point = args.values.get('to');
    if (isList && point !== undefined)
      throw new UsageError('--list shows the changes and --to takes some back: use one of them.');
    const isNamed = !isList && point === undefined;
    refuseFurther(args.words.slice(isNamed ? 1 : 0), isNamed ? 'undo ID' : 'undo with --list or --to');
    const options: UndoOptions = { prefix: 'toolwright ', signal: abortOnInterrupt() };
    return withToolbox(args, { front: 'undo' }, async (toolbox) => {
      if (isList) return list(toolbox, args.switches.has('json'), options.signal);
      if (point !== undefined) return undoTo(toolbox, point, options);
      return finish(await undo(toolbox, args.words[0] ?? '', options));
    });
  },
});

/** Back to a point: one change after the other, newest first; the first that can't be undone ends it. */
async function undoTo(toolbox: Toolbox, id: string, options: UndoOptions): Promise<number> {
  const changes = await changesHere(toolbox, options.signal);
  const later = changes.slice(changes.indexOf(changeNamed(changes, id, options)) + 1);
  const standing = later.filter(({ undoes, undoneBy }) => !undoes && !undoneBy).reverse();
  if (standing.length === 0) print('Nothing was changed after that.');
  for (const change of standing) {
    const code = finish(await undoChange(toolbox, change, options));
    if (code !== exitCodes.done) return code;
  }
  return exitCodes.done;
}

function finish({ state, report }: UndoResult): number {
  printReport(report);
  return state === 'refused' ? exitCodes.failure : exitCodes.done;
}

async function list(toolbox: Toolbox, isJson: boolean, signal: AbortSignal): Promise<number> {
  const changes = await changesHere(toolbox, signal);
  if (isJson) printJson(changes.toReversed(), 2);
  else print(describeChanges(changes, toolbox.host.workspace.show));
  return exitCodes.done;
}
