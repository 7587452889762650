import { deadlineIn, unlessAborted } from '@toolwright/core/front-end';
import {
  type Engine,
  type FleetEvent,
  type FleetStatus,
  finalStates,
  isOf,
  placeOf,
  type Submitted,
} from '@toolwright/fleet';
import { columnsOf } from '../../base/columns.js';
import { printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { createLiveLines } from '../../ui/live-lines.js';
import { appearanceOf } from '../../ui/open-front.js';
import { type Appearance, line, paint, type StyledLine } from '../../ui/render/line.js';
import { renderFleet } from '../../ui/render/plots/fleet.js';
import { openWorkedTime } from '../../ui/render/plots/worked-time.js';

export interface Progress {
  say(sentence: string): void;
  close(): Promise<void>;
}

interface ProgressOptions {
  args: Arguments;
  /** The tasks to tell of; all where it is left out. */
  submitted?: Submitted;
  /** Counts the tasks on show by state. */
  count(): Promise<FleetStatus>;
}

/** Shows how the fleet gets on: bars on a terminal, a line for each change on a pipe, events with --json. */
export function showProgress(engine: Engine, { args, submitted, count }: ProgressOptions): Progress {
  const isShown = (event: FleetEvent): boolean => !submitted || !('id' in event) || isOf(submitted, event.id);
  const told = (tell: (event: FleetEvent) => void) => (event: FleetEvent) => {
    if (isShown(event)) tell(event);
  };
  if (args.switches.has('json')) return tellEvents(engine, told(printEvent));
  const isTerminal = process.stderr.isTTY === true && (process.env['TERM'] ?? 'dumb') !== 'dumb';
  return isTerminal ? drawBars(count) : tellEvents(engine, told(printChange));
}

const LAST_EVENTS_MS = 2_000;

function tellEvents(engine: Engine, onEvent: (event: FleetEvent) => void): Progress {
  const over = new AbortController();
  const listening = engine.listen(onEvent, over.signal).catch(() => undefined);
  return {
    say: (sentence) => writePlain(`toolwright: ${sentence}`),
    async close() {
      over.abort();
      // Servers that are away tell nothing more.
      await unlessAborted(listening, deadlineIn(LAST_EVENTS_MS)).catch(() => undefined);
    },
  };
}

function printEvent(event: FleetEvent): void {
  printJson({ v: 1, ...event });
}

/** Sentences that say how a state came about; a task that runs or is done says nothing of earlier failures. */
const withReason = ['queued', 'failed', 'poison'];

function printChange(event: FleetEvent): void {
  if (event.type !== 'task-state') return;
  const why = event.message && withReason.includes(event.state) ? `: ${event.message.split('\n')[0]}` : '';
  const { workspace } = event;
  const where = workspace ? `${placeOf({ workspace }, process.cwd())}  ` : '';
  writePlain(`${event.state.padEnd(9)} ${event.id}  ${where}${event.title}${why}`);
}

function writePlain(text: string): void {
  const appearance = appearanceOf(process.env, { color: 'never', linear: true });
  process.stderr.write(`${paint(line(text), appearance)}\n`);
}

const COUNT_EVERY_MS = 500;
/** Counting a hundred thousand tasks takes a while; it must not take the machine. */
const SHARE_OF_COUNTING = 10;

function drawBars(count: () => Promise<FleetStatus>): Progress {
  const output = process.stderr;
  const appearance = appearanceOf(process.env, { color: 'auto', linear: false });
  const live = createLiveLines({ write: (text) => void output.write(text), appearance });
  const bars = createBars(appearance);
  let said: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let drawnAt = columnsOf(output);

  const draw = (status: FleetStatus): void => {
    const columns = columnsOf(output);
    if (columns < drawnAt) live.broken(columns);
    drawnAt = columns;
    const finished = said.map((text) => line(text));
    said = [];
    live.draw(finished, { lines: bars(status, columns - 1), cursor: null });
  };
  const countAndDraw = async (): Promise<void> => {
    const began = performance.now();
    const status = await count().catch(() => null);
    if (status) draw(status);
    const pause = Math.max(COUNT_EVERY_MS, (performance.now() - began) * SHARE_OF_COUNTING);
    if (!isClosed) timer = setTimeout(() => (counting = countAndDraw()), pause);
  };
  let counting = countAndDraw();
  return {
    say: (sentence) => void said.push(sentence),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await counting;
      clearTimeout(timer);
      const status = await count().catch(() => null);
      if (status) draw(status);
      live.close();
    },
  };
}

function createBars(appearance: Appearance): (status: FleetStatus, width: number) => StyledLine[] {
  const worked = openWorkedTime();
  return (status, width) => {
    const ended = finalStates.reduce((sum, state) => sum + status.states[state], 0);
    const time = worked({ nowMs: performance.now(), running: status.states.running, ended });
    return renderFleet(withPlace(status), { ...time, width, appearance });
  };
}

/** Four hundred repositories may share one prompt: the failure says which of them it was. */
function withPlace({ states, usage, lastFailure }: FleetStatus): Parameters<typeof renderFleet>[0] {
  if (!lastFailure) return { states, usage, lastFailure };
  const { title, message } = lastFailure;
  return {
    states,
    usage,
    lastFailure: { title: `${placeOf(lastFailure, process.cwd())}: ${title}`, message },
  };
}
