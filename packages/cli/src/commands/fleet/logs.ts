import { type Engine, type FleetEvent, finalStates, journalOf, requireRecord } from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printLine } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { pause } from './look.js';
import { withFleet } from './open-fleet.js';
import { requireId } from './tasks.js';

/** `fleet logs ID [-f]`: the calls of a task as its journal tells them, then as they happen. */
export function logs([id]: string[], args: Arguments): Promise<number> {
  return withFleet(args, async (engine) => {
    const { task } = await requireRecord(engine, requireId(id, 'logs'));
    if (args.switches.has('follow')) return follow(engine, task.id);
    await printJournal(engine, task.id);
    return exitCodes.done;
  });
}

/** Until the task has ended, or Ctrl+C. What happens while the journal is read comes after it. */
async function follow(engine: Engine, id: string): Promise<number> {
  const signal = abortOnInterrupt();
  const over = new AbortController();
  const shown: string[] = [];
  let isReady = false;
  const onEvent = (event: FleetEvent): void => {
    if (event.type !== 'task-log' || event.id !== id) return;
    if (isReady) printLine(event.line);
    else shown.push(event.line);
  };
  void engine.listen(onEvent, over.signal).catch(() => undefined);
  await printJournal(engine, id);
  isReady = true;
  for (const line of shown) printLine(line);
  await tellStates(engine, id, signal);
  over.abort();
  return signal.aborted ? exitCodes.cancelled : exitCodes.done;
}

/** The record is what counts: events reach only those who listen in time. */
async function tellStates(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  let told = '';
  while (!signal.aborted) {
    const { state, failure } = await requireRecord(engine, id);
    const why = failure && state !== 'done' && state !== 'running' ? `: ${failure.message}` : '';
    if (told !== `${state}${why}`) printLine(`${state}${why}`);
    told = `${state}${why}`;
    if (finalStates.includes(state)) return;
    await pause(signal);
  }
}

async function printJournal(engine: Engine, id: string): Promise<void> {
  const journal = await journalOf(engine, await requireRecord(engine, id));
  for (const line of journal?.split('\n') ?? []) printEntry(line);
}

interface JournalEntry {
  type: string;
  tool?: string;
  args?: unknown;
  error?: { message: string };
}

function printEntry(line: string): void {
  if (line === '') return;
  const entry = JSON.parse(line) as JournalEntry;
  if (entry.type === 'call-start') printLine(`· ${entry.tool} ${JSON.stringify(entry.args)}`);
  if (entry.type === 'call-end' && entry.error) printLine(`  ${entry.error.message.split('\n')[0]}`);
}
