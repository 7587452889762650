import {
  type Engine,
  type FleetEvent,
  type FleetStatus,
  finalStates,
  statusOf,
  type TaskState,
} from '@toolwright/fleet';
import { printJson } from '../../base/print.js';
import type { Arguments } from '../../command-line/args.js';
import { createLiveLines } from '../../ui/live-lines.js';
import { appearanceOf } from '../../ui/open-front.js';
import { renderFleet } from '../../ui/render/fleet.js';
import { line, paint } from '../../ui/render/line.js';

export interface Progress {
  say(sentence: string): void;
  close(): Promise<void>;
}

const DRAW_EVERY_MS = 500;
const COUNT_EVERY_MS = 2_000;

/** Shows how the fleet gets on: bars on a terminal, a line for each change on a pipe, events with --json. */
export function showProgress(engine: Engine, { switches }: Arguments): Progress {
  const over = new AbortController();
  const isJson = switches.has('json');
  const output = process.stderr;
  const isLive = output.isTTY === true && !isJson && (process.env['TERM'] ?? 'dumb') !== 'dumb';
  const appearance = appearanceOf(process.env, { color: 'auto', linear: !isLive });
  const onEvent = isJson ? printEvent : isLive ? () => undefined : printChange;
  void engine.listen(onEvent, over.signal).catch(() => undefined);
  if (!isLive) {
    return {
      say: (sentence) => void output.write(`toolwright: ${paint(line(sentence), appearance)}\n`),
      close: async () => over.abort(),
    };
  }
  const live = createLiveLines({ write: (text) => void output.write(text), appearance });
  const startedAt = performance.now();
  let status: FleetStatus | null = null;
  let doneAtStart: number | null = null;
  let said: string[] = [];
  const draw = (): void => {
    if (!status) return;
    const ended = finalStates.reduce((sum, state) => sum + status!.states[state], 0);
    doneAtStart ??= ended;
    const width = Math.max(20, output.columns || 80) - 1;
    const lines = renderFleet(status, {
      elapsedMs: performance.now() - startedAt,
      endedHere: ended - doneAtStart,
      width,
      appearance,
    });
    live.draw(
      said.map((text) => line(text)),
      { lines, cursor: null },
    );
    said = [];
  };
  const count = async (): Promise<void> => void (status = await statusOf(engine).catch(() => status));
  void count().then(draw);
  const counting = setInterval(() => void count(), COUNT_EVERY_MS);
  const drawing = setInterval(draw, DRAW_EVERY_MS);
  return {
    say: (sentence) => void said.push(sentence),
    async close() {
      over.abort();
      clearInterval(counting);
      clearInterval(drawing);
      await count();
      draw();
      live.close();
    },
  };
}

function printEvent(event: FleetEvent): void {
  printJson({ v: 1, ...event });
}

const worthTelling: readonly (TaskState | string)[] = ['running', 'parked', 'queued', ...finalStates];

function printChange(event: FleetEvent): void {
  if (event.type !== 'task-state' || !worthTelling.includes(event.state)) return;
  const why =
    event.message !== undefined && event.state !== 'done' && event.state !== 'running'
      ? `: ${event.message}`
      : '';
  const appearance = appearanceOf(process.env, { color: 'never', linear: true });
  process.stderr.write(
    `${paint(line(`${event.state.padEnd(9)} ${event.id}  ${event.title}${why}`), appearance)}\n`,
  );
}
