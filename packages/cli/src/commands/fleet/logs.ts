import {
  createLook,
  type Engine,
  type FleetEvent,
  finalStates,
  journalOf,
  requireRecord,
  someoneWorks,
} from '@toolwright/fleet';
import { exitCodes } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson, printLine, warn } from '../../base/print.js';
import { type Arguments, refuseFurther } from '../../command-line/args.js';
import { NOBODY_LEFT, pause } from './look.js';
import { withFleet } from './open-fleet.js';
import { requireId } from './tasks.js';
import { createCallTeller, type Tell } from './tell-calls.js';

/** `fleet logs ID [-f]`: the calls of a task as its journal tells them, then as they happen. */
export async function logs([id, ...further]: string[], args: Arguments): Promise<number> {
  refuseFurther(further, 'fleet logs ID');
  return withFleet(args, async (engine) => {
    const { task } = await requireRecord(engine, requireId(id, 'logs'));
    const tell: Tell = args.switches.has('json')
      ? (line) => printJson({ v: 1, type: 'task-log', id: task.id, line })
      : printLine;
    if (args.switches.has('follow')) return follow(engine, task.id, tell);
    await tellJournal(engine, task.id, tell);
    return exitCodes.done;
  });
}

/** Until the task has ended, or Ctrl+C. What happens while the journal is read comes after it. */
async function follow(engine: Engine, id: string, tell: Tell): Promise<number> {
  const signal = abortOnInterrupt();
  const over = new AbortController();
  const shown: string[] = [];
  let isReady = false;
  const onEvent = (event: FleetEvent): void => {
    if (event.type !== 'task-log' || event.id !== id) return;
    if (isReady) tell(event.line);
    else shown.push(event.line);
  };
  void engine.listen(onEvent, over.signal).catch(() => undefined);
  await tellJournal(engine, id, tell);
  isReady = true;
  for (const line of shown) tell(line);
  const hasEnded = await tellStates(engine, { id, tell, signal });
  over.abort();
  if (signal.aborted) return exitCodes.cancelled;
  return hasEnded ? exitCodes.done : exitCodes.failure;
}

/** The record is what counts: events reach only those who listen in time. False where nobody is left to go on. */
async function tellStates(
  engine: Engine,
  { id, tell, signal }: { id: string; tell: Tell; signal: AbortSignal },
): Promise<boolean> {
  let told = '';
  while (!signal.aborted) {
    const record = await requireRecord(engine, id);
    const { state, failure } = record;
    const why = failure && state !== 'done' && state !== 'running' ? `: ${failure.message}` : '';
    if (told !== `${state}${why}`) tell(`${state}${why}`);
    told = `${state}${why}`;
    if (finalStates.includes(state)) return true;
    if (state === 'running' && (await createLook(engine)(record)) && !(await someoneWorks(engine))) {
      warn(NOBODY_LEFT);
      return false;
    }
    await pause(signal);
  }
  return true;
}

/** The journal of a delivery has what the model asked for before anything of it began. */
async function tellJournal(engine: Engine, id: string, tell: Tell): Promise<void> {
  const journal = await journalOf(engine, await requireRecord(engine, id));
  const calls = createCallTeller(tell);
  for (const line of journal?.split('\n') ?? []) if (line !== '') calls.read(line);
  calls.tellAsked();
}
