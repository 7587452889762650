import type { ReadStream, WriteStream } from 'node:tty';
import { createFront, type Front } from './front.js';
import { createLineDrawing } from './line-drawing.js';
import { createLiveDrawing } from './live-drawing.js';
import type { Appearance } from './render/line.js';
import { createTerminal } from './terminal.js';

export interface FrontOptions {
  input: ReadStream;
  output: WriteStream;
  environment: Readonly<Record<string, string | undefined>>;
  color?: 'auto' | 'always' | 'never' | undefined;
  /** Nothing is ever redrawn. */
  screenReader?: boolean | undefined;
}

/** The drawing that suits this terminal. */
export function openFront({
  input,
  output,
  environment,
  color = 'auto',
  screenReader = false,
}: FrontOptions): Front {
  const isDumb = isDumbTerminal(environment);
  const terminal = createTerminal({ input, output, understandsSequences: !isDumb });
  const options = {
    write: terminal.write,
    screen: terminal.screen,
    appearance: appearanceOf(environment, { color, linear: isDumb || screenReader }),
    reflows: breaksLinesAnew(environment),
  };
  const drawing = options.appearance.linear ? createLineDrawing(options) : createLiveDrawing(options);
  return createFront({
    terminal,
    drawing,
    isLinear: options.appearance.linear,
    understandsSequences: !isDumb,
  });
}

function isDumbTerminal({ TERM = 'dumb' }: FrontOptions['environment']): boolean {
  return TERM === 'dumb' || TERM === '';
}

/** xterm, the console and GNU screen cut lines off instead. */
function breaksLinesAnew({ TERM = '', XTERM_VERSION, TMUX }: FrontOptions['environment']): boolean {
  return TMUX !== undefined || (XTERM_VERSION === undefined && !/^(?:linux|screen|rxvt|vt)/.test(TERM));
}

export function appearanceOf(
  environment: FrontOptions['environment'],
  { color, linear }: { color: NonNullable<FrontOptions['color']>; linear: boolean },
): Appearance {
  const { NO_COLOR = '', LC_ALL, LC_CTYPE, LANG = '' } = environment;
  const mayColor = NO_COLOR === '' && !isDumbTerminal(environment);
  return {
    color: color === 'auto' ? mayColor : color === 'always',
    unicode: /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG),
    linear,
    manyColors: hasManyColors(environment),
  };
}

function hasManyColors({ TERM = '', COLORTERM = '' }: FrontOptions['environment']): boolean {
  return COLORTERM !== '' || /256|direct|kitty|ghostty|alacritty|wezterm|foot/.test(TERM);
}
