import { type Toolbox, terminalSafeJson } from '@toolwright/core';
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
import { parseCommandLine, refuseFurther } from '../command-line/args.js';
import { openToolbox } from '../setup/runtime.js';
import { printReport } from './print-report.js';

const flags = [
  { name: 'to', value: 'ID', help: 'Take back every change made after this one, newest first.' },
  { name: 'list', help: 'Show the changes of this workspace, newest first.' },
  { name: 'json', help: 'Print JSON.' },
];

/** Takes back this workspace's latest change, or the one named by its id or the id of its call. */
export async function run(args: string[]): Promise<number> {
  const parsed = parseCommandLine(args, flags);
  if (parsed.switches.has('help')) return help();
  if (parsed.switches.has('list') && parsed.values.has('to'))
    throw new UsageError('--list shows the changes and --to takes some back: use one of them.');
  const isNamed = !parsed.switches.has('list') && !parsed.values.has('to');
  refuseFurther(parsed.words.slice(isNamed ? 1 : 0), isNamed ? 'undo ID' : 'undo with --list or --to');
  const options: UndoOptions = { prefix: 'toolwright ', signal: abortOnInterrupt() };
  const toolbox = await openToolbox(parsed, { front: 'undo' });
  try {
    if (parsed.switches.has('list')) return await list(toolbox, parsed.switches.has('json'), options.signal);
    const point = parsed.values.get('to');
    if (point !== undefined) return await undoTo(toolbox, point, options);
    return finish(await undo(toolbox, parsed.words[0] ?? '', options));
  } finally {
    await toolbox.close();
  }
}

/** Back to a point: one change after the other, newest first; the first that can't be undone ends it. */
async function undoTo(toolbox: Toolbox, id: string, options: UndoOptions): Promise<number> {
  const changes = await changesHere(toolbox, options.signal);
  const later = changes.slice(changes.indexOf(changeNamed(changes, id, options)) + 1);
  const standing = later.filter(({ undoes, undoneBy }) => !undoes && !undoneBy).reverse();
  if (standing.length === 0) process.stdout.write('Nothing was changed after that.\n');
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
  const text = isJson
    ? terminalSafeJson(changes.toReversed(), 2)
    : describeChanges(changes, toolbox.host.workspace.show);
  process.stdout.write(`${text}\n`);
  return exitCodes.done;
}

async function help(): Promise<number> {
  const { flagTable } = await import('../command-line/help.js');
  process.stdout.write(`Usage
  toolwright undo            take back the latest change of this workspace
  toolwright undo ID         take back one change, by its id or the id of its call
  toolwright undo --to ID    take back everything after that change
  toolwright undo --list     show them, newest first: what made each, the command, the files

Flags
${flagTable(flags)}
`);
  return exitCodes.done;
}
