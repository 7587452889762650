import type { ReadStream, WriteStream } from 'node:tty';
import type { Key } from '../app/key.js';
import { columnsOf } from '../base/columns.js';
import { createKeyDecoder, type TerminalReport } from './keys.js';
import type { Screen } from './render/frame.js';

/** A terminal in the mode a conversation needs: every key as it is pressed, pastes marked as such. */
export interface Terminal {
  write(text: string): void;
  screen(): Screen;
  /** Takes the terminal. Until then nothing is read and nothing is changed. */
  start(): void;
  /** Gives it back the way it was. Called on every way out; a second call does nothing. */
  stop(): void;
  onKey(listener: (key: Key) => void): void;
  onReport(listener: (report: TerminalReport) => void): void;
  onResize(listener: () => void): void;
  /** The terminal is gone. */
  onEnd(listener: () => void): void;
}

export interface TerminalOptions {
  input: ReadStream;
  output: WriteStream;
  /** False: no sequences at all, for terminals that would show them. */
  understandsSequences: boolean;
  /** Sequences sent to the terminal when it is taken, and when it is given back. */
  greeting?: string;
  farewell?: string;
}

/** An escape that nothing follows within this time was the key itself. */
const ESCAPE_MS = 60;
/** While a window is dragged its size changes many times. */
const RESIZE_MS = 80;
const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';

export function createTerminal({
  input,
  output,
  understandsSequences,
  greeting = '',
  farewell = '',
}: TerminalOptions): Terminal {
  const listeners = silentListeners();
  const keys = createKeyReader({
    key: (key) => listeners.key(key),
    report: (report) => listeners.report(report),
  });
  const resizing = afterPause(RESIZE_MS, () => listeners.resize());
  const onEnd = (): void => listeners.end();
  let isOurs = false;

  function stop(): void {
    if (!isOurs) return;
    isOurs = false;
    keys.stop();
    resizing.stop();
    input.off('data', keys.read).off('end', onEnd);
    output.off('resize', resizing.restart);
    process.off('exit', stop);
    if (understandsSequences) output.write(`${PASTE_OFF}${farewell}\x1b[?25h`);
    giveBack(input);
  }

  return {
    write: (text) => void output.write(text),
    screen: () => ({ columns: columnsOf(output), rows: Math.max(6, output.rows || 24) }),
    start() {
      if (isOurs) return;
      isOurs = true;
      // The exit handler also runs when something throws or a signal ends the program: then nothing else does.
      process.on('exit', stop);
      input.setEncoding('utf8');
      input.setRawMode(true);
      if (understandsSequences) output.write(`${PASTE_ON}${greeting}`);
      input.on('data', keys.read).on('end', onEnd);
      output.on('resize', resizing.restart);
      input.resume();
    },
    stop,
    onKey: (listener) => void (listeners.key = listener),
    onReport: (listener) => void (listeners.report = listener),
    onResize: (listener) => void (listeners.resize = listener),
    onEnd: (listener) => void (listeners.end = listener),
  };
}

function silentListeners() {
  return {
    key: (_key: Key): void => undefined,
    report: (_report: TerminalReport): void => undefined,
    resize: (): void => undefined,
    end: (): void => undefined,
  };
}

function giveBack(input: ReadStream): void {
  try {
    input.setRawMode(false);
  } catch {
    // The terminal is gone, and its mode with it.
  }
  input.pause();
}

interface Delivery {
  key(key: Key): void;
  report(report: TerminalReport): void;
}

/** Reads keys and reports out of what the terminal sends. */
function createKeyReader({ key, report }: Delivery): { read(chunk: string): void; stop(): void } {
  const decoder = createKeyDecoder();
  const deliver = (each: Key | TerminalReport): void => (isReport(each) ? report(each) : key(each));
  const alone = afterPause(ESCAPE_MS, () => decoder.settle().forEach(deliver));
  return {
    read(chunk) {
      alone.stop();
      decoder.push(chunk).forEach(deliver);
      if (decoder.isWaiting) alone.restart();
    },
    stop: alone.stop,
  };
}

function isReport(each: Key | TerminalReport): each is TerminalReport {
  return ['background', 'focus', 'mouse', 'cursor'].includes(each.name);
}

/** Work that is done once nothing has restarted it for a while. */
function afterPause(ms: number, work: () => void): { restart(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    restart() {
      stop();
      timer = setTimeout(work, ms);
    },
    stop,
  };
}
