import type { ReadStream, WriteStream } from 'node:tty';
import type { RaceEvent, RaceState } from '@toolwright/core/front-end';
import { columnsOf } from '../base/columns.js';
import { createLiveLines } from './live-lines.js';
import { appearanceOf, type FrontOptions } from './open-front.js';
import { line, paint, wrap } from './render/line.js';
import { raceNews, renderRace } from './render/race.js';
import { createTerminal, type Terminal } from './terminal.js';

/** Shows a race while it runs. */
export interface RaceScreen {
  show(event: RaceEvent, state: RaceState): void;
  /** Prints a line beside the table. */
  say(text: string): void;
  close(): void;
}

export interface RaceScreenOptions extends Pick<FrontOptions, 'environment' | 'color' | 'screenReader'> {
  /** Null where standard input is no terminal: then nothing is read. */
  input: ReadStream | null;
  output: WriteStream;
  isChecked: boolean;
  now(): number;
  /** The user pressed Ctrl+C. */
  onInterrupt(): void;
}

/** A table that is drawn again in place where the terminal can do that; else a line for each piece of news. */
export function openRaceScreen(options: RaceScreenOptions): RaceScreen {
  const { output, environment, color = 'auto', screenReader = false } = options;
  const { TERM = 'dumb' } = environment;
  const isLive = output.isTTY === true && TERM !== 'dumb' && TERM !== '' && !screenReader;
  const appearance = appearanceOf(environment, { color, linear: !isLive });
  return isLive ? openTable(options, appearance) : openLines(output, appearance);
}

function openLines(output: WriteStream, appearance: ReturnType<typeof appearanceOf>): RaceScreen {
  const say = (text: string): void => void output.write(`${paint(line(text), appearance)}\n`);
  return {
    show: (event, state) => raceNews(event, state).forEach(say),
    say,
    close: () => undefined,
  };
}

/** Time goes on where nothing happens. */
const TICK_MS = 1_000;
/** Many events in a row are one picture. */
const FRAME_MS = 50;

function openTable(options: RaceScreenOptions, appearance: ReturnType<typeof appearanceOf>): RaceScreen {
  const { output, isChecked, now } = options;
  const live = createLiveLines({ write: (text) => void output.write(text), appearance });
  const terminal = openKeys(options);
  let latest: RaceState = { runners: [] };
  let said: string[] = [];
  let frame: NodeJS.Timeout | undefined;

  function draw(): void {
    clearTimeout(frame);
    frame = undefined;
    const width = columnsOf(output) - 1;
    const rows = Math.max(6, output.rows || 24);
    const table = renderRace(latest, { nowMs: now(), isChecked, width, appearance });
    const finished = said.flatMap((text) => wrap(line(text), width));
    said = [];
    const hint = line('Ctrl+C stops all sessions.', { dim: true });
    live.draw(finished, { lines: [...table.slice(0, rows - 2), hint], cursor: null });
  }

  const ticking = setInterval(draw, TICK_MS);
  const onResize = (): void => {
    live.drawAgain({ isFresh: false });
    draw();
  };
  output.on('resize', onResize);
  return {
    show(event, state) {
      latest = state;
      if (event.type === 'agent') said.push(...raceNews(event, state));
      frame ??= setTimeout(draw, FRAME_MS);
    },
    say(text) {
      said.push(text);
      frame ??= setTimeout(draw, FRAME_MS);
    },
    close() {
      clearInterval(ticking);
      output.off('resize', onResize);
      // The last words are drawn again, so that they don't vanish with the table.
      if (said.length > 0) draw();
      clearTimeout(frame);
      live.close();
      terminal?.stop();
    },
  };
}

/** Keys are read so that they do not show up in the table. */
function openKeys({ input, output, onInterrupt }: RaceScreenOptions): Terminal | null {
  if (input === null) return null;
  const terminal = createTerminal({ input, output, understandsSequences: true });
  terminal.onKey(({ name }) => {
    if (name === 'interrupt') onInterrupt();
  });
  terminal.onEnd(() => void process.kill(process.pid, 'SIGHUP'));
  terminal.start();
  return terminal;
}
