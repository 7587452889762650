import type { ReadStream, WriteStream } from 'node:tty';
import type { Key } from '../app/key.js';
import { createKeyDecoder } from './keys.js';
import type { Screen } from './render/live.js';

/** A terminal in the mode a conversation needs: every key as it is pressed, pastes marked as such. */
export interface Terminal {
  write(text: string): void;
  screen(): Screen;
  /** Takes the terminal. Until then nothing is read and nothing is changed. */
  start(): void;
  /** Gives it back the way it was. Called on every way out; a second call does nothing. */
  stop(): void;
  onKey(listener: (key: Key) => void): void;
  onResize(listener: () => void): void;
  /** The terminal is gone. */
  onEnd(listener: () => void): void;
}

export interface TerminalOptions {
  input: ReadStream;
  output: WriteStream;
  /** False: no sequences at all, for terminals that would show them. */
  understandsSequences: boolean;
}

/** An escape that nothing follows within this time was the key itself. */
const ESCAPE_MS = 60;
/** While a window is dragged its size changes many times. */
const RESIZE_MS = 80;
const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';

export function createTerminal({ input, output, understandsSequences }: TerminalOptions): Terminal {
  const listeners = {
    key: (_key: Key): void => undefined,
    resize: (): void => undefined,
    end: (): void => undefined,
  };
  const decoder = createKeyDecoder();
  let isOurs = false;
  let escapeTimer: NodeJS.Timeout | undefined;
  let resizeTimer: NodeJS.Timeout | undefined;

  const deliver = (keys: readonly Key[]): void => {
    for (const key of keys) listeners.key(key);
  };
  const onData = (chunk: string): void => {
    clearTimeout(escapeTimer);
    deliver(decoder.push(chunk));
    if (decoder.isWaiting) escapeTimer = setTimeout(() => deliver(decoder.settle()), ESCAPE_MS);
  };
  const onResize = (): void => {
    clearTimeout(resizeTimer);
    resizeTimer = setTimeout(() => listeners.resize(), RESIZE_MS);
  };
  const onEnd = (): void => listeners.end();

  function stop(): void {
    if (!isOurs) return;
    isOurs = false;
    clearTimeout(escapeTimer);
    clearTimeout(resizeTimer);
    input.off('data', onData).off('end', onEnd);
    output.off('resize', onResize);
    process.off('exit', stop);
    if (understandsSequences) output.write(`${PASTE_OFF}\x1b[?25h`);
    try {
      input.setRawMode(false);
    } catch {
      // The terminal is gone, and its mode with it.
    }
    input.pause();
  }

  return {
    write: (text) => void output.write(text),
    screen: () => ({ columns: Math.max(20, output.columns || 80), rows: Math.max(6, output.rows || 24) }),
    start() {
      if (isOurs) return;
      isOurs = true;
      // Also when something throws or a signal ends the program: then nothing else gets to run.
      process.on('exit', stop);
      input.setEncoding('utf8');
      input.setRawMode(true);
      if (understandsSequences) output.write(PASTE_ON);
      input.on('data', onData).on('end', onEnd);
      output.on('resize', onResize);
      input.resume();
    },
    stop,
    onKey: (listener) => void (listeners.key = listener),
    onResize: (listener) => void (listeners.resize = listener),
    onEnd: (listener) => void (listeners.end = listener),
  };
}
