import {
  latestToUndo,
  type PastChange,
  pastChanges,
  summarize,
  type Toolbox,
  terminalSafe,
  terminalSafeJson,
} from '@toolwright/core';
import { parseCommandLine, refuseFurther } from '../args.js';
import { displayText } from '../display-text.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { abortOnInterrupt } from '../interrupts.js';
import { openToolbox } from '../runtime.js';

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
  const signal = abortOnInterrupt();
  const toolbox = await openToolbox(parsed, { front: 'undo' });
  try {
    const changes = await pastChanges(toolbox.state, toolbox.host.workspace.directory, signal);
    if (parsed.switches.has('list')) return await list(changes, toolbox, parsed.switches.has('json'));
    const point = parsed.values.get('to');
    if (point !== undefined) return await undoTo(toolbox, { changes, point: choose(changes, point) }, signal);
    const id = parsed.words[0];
    if (id !== undefined) return await undo(toolbox, choose(changes, id), signal);
    const latest = await latestToUndo(changes, (changeSet) => toolbox.changes.planUndo(changeSet, signal));
    if (latest) return await carryOut(toolbox, latest, signal);
    process.stdout.write('There is nothing to undo in this workspace.\n');
    return exitCodes.done;
  } finally {
    await toolbox.close();
  }
}

function choose(changes: PastChange[], id: string): PastChange {
  const found = changes.filter(
    ({ changeSet, call }) => changeSet.id.startsWith(id) || call?.callId.startsWith(id),
  );
  if (found.length === 1) return found[0]!;
  const problem =
    found.length === 0
      ? `There is no change ${id} in this workspace.`
      : `${id} is the beginning of ${found.length} ids.`;
  throw new UsageError(`${problem} toolwright undo --list shows them.`);
}

/** Back to a point: one change after the other, newest first; the first that can't be undone ends it. */
async function undoTo(
  toolbox: Toolbox,
  { changes, point }: { changes: PastChange[]; point: PastChange },
  signal: AbortSignal,
): Promise<number> {
  const later = changes.slice(changes.indexOf(point) + 1);
  const standing = later.filter(({ undoes, undoneBy }) => !undoes && !undoneBy).reverse();
  if (standing.length === 0) process.stdout.write('Nothing was changed after that.\n');
  for (const change of standing) {
    const code = await undo(toolbox, change, signal);
    if (code !== exitCodes.done) return code;
  }
  return exitCodes.done;
}

async function undo(toolbox: Toolbox, change: PastChange, signal: AbortSignal): Promise<number> {
  const plan = await toolbox.changes.planUndo(change.changeSet, signal);
  return carryOut(toolbox, { change, plan }, signal);
}

type Planned = NonNullable<Awaited<ReturnType<typeof latestToUndo>>>;

async function carryOut(toolbox: Toolbox, { change, plan }: Planned, signal: AbortSignal): Promise<number> {
  switch (plan.kind) {
    case 'nothing':
      process.stdout.write(`Already undone: ${summarize(change.changeSet)}.\n`);
      return exitCodes.done;
    case 'refused':
      process.stderr.write(`${terminalSafe(plan.reason)}\n${displayText(plan.diff)}\n`);
      return exitCodes.failure;
    case 'ready': {
      const committed = await toolbox.undo(plan.planned, change.changeSet.id, signal);
      process.stdout.write(
        `${displayText(plan.planned.diff)}\nUndone: ${summarize(change.changeSet)}. To take the undo back: toolwright undo ${committed.id}\n`,
      );
      await sayWhatStays(change);
      return exitCodes.done;
    }
  }
}

async function sayWhatStays({ call }: PastChange): Promise<void> {
  if (!call?.wroteOutside) return;
  const { staysOutside } = await import('./undo-list.js');
  process.stdout.write(`${terminalSafe(staysOutside(call.wroteOutside))}\n`);
}

async function list(changes: PastChange[], toolbox: Toolbox, isJson: boolean): Promise<number> {
  if (isJson) {
    process.stdout.write(`${terminalSafeJson(changes.toReversed(), 2)}\n`);
    return exitCodes.done;
  }
  const { changeLines } = await import('./undo-list.js');
  process.stdout.write(
    changeLines(changes, toolbox.host.workspace.show) || 'No changes have been made in this workspace.\n',
  );
  return exitCodes.done;
}

async function help(): Promise<number> {
  const { flagTable } = await import('../help.js');
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
