import type { ReadStream, WriteStream } from 'node:tty';
import { createFront, type Front, type Themes } from './front.js';
import { createLineDrawing } from './line-drawing.js';
import { createLiveDrawing } from './live-drawing.js';
import { mouseModes } from './mouse.js';
import { createNotifier, type NotifyMode, notifyModes } from './notify.js';
import type { Appearance } from './render/line.js';
import { type ChosenTheme, type OwnColors, themeFor } from './render/theme.js';
import { createTerminal } from './terminal.js';

export interface FrontOptions {
  input: ReadStream;
  output: WriteStream;
  environment: Readonly<Record<string, string | undefined>>;
  color?: 'auto' | 'always' | 'never' | undefined;
  /** True if nothing may ever be redrawn. */
  screenReader?: boolean | undefined;
  /** The name of a theme. */
  theme?: string | undefined;
  /** Colours in place of those of the theme. */
  colors?: OwnColors | undefined;
  notify?: NotifyMode | undefined;
  /** Clicks unfold blocks. */
  mouse?: boolean | undefined;
}

/** The drawing that suits this terminal. */
export function openFront({
  input,
  output,
  environment,
  color = 'auto',
  screenReader = false,
  theme = 'auto',
  colors,
  notify = 'auto',
  mouse = false,
}: FrontOptions): Front {
  const isDumb = isDumbTerminal(environment);
  const linear = isDumb || screenReader;
  const appearance = appearanceOf(environment, { color, linear });
  const tellsFocus = !linear && notify !== 'never';
  const hasMouse = mouse && !linear;
  const asksBackground = !linear && appearance.color && environment['COLORFGBG'] === undefined;
  const terminal = createTerminal({
    input,
    output,
    understandsSequences: !isDumb,
    greeting: `${tellsFocus ? notifyModes.on : ''}${hasMouse ? mouseModes.on : ''}${asksBackground ? BACKGROUND : ''}`,
    farewell: `${tellsFocus ? notifyModes.off : ''}${hasMouse ? mouseModes.off : ''}`,
  });
  const options = {
    write: terminal.write,
    screen: terminal.screen,
    appearance,
    reflows: breaksLinesAnew(environment),
    keepsErased: environment['TMUX'] !== undefined,
  };
  const drawing = options.appearance.linear ? createLineDrawing(options) : createLiveDrawing(options);
  return createFront({
    terminal,
    drawing,
    isLinear: linear,
    understandsSequences: !isDumb,
    notifier: isDumb ? undefined : createNotifier({ write: terminal.write, mode: notify, onlyBell: linear }),
    hasMouse,
    themes: themesOf(appearance, { name: theme, own: colors, isLight: isLightTerminal(environment) }),
  });
}

/** Asks for the colour of the background; a terminal that does not know the question is silent. */
const BACKGROUND = '\x1b]11;?\x07';

function themesOf(appearance: Appearance, first: ChosenTheme): Themes {
  let chosen = first;
  const change = (next: Partial<ChosenTheme>): void => {
    chosen = { ...chosen, ...next };
    appearance.theme = themeFor(chosen);
  };
  change({});
  return {
    get name() {
      return chosen.name;
    },
    use: (name) => change({ name }),
    seen: ({ isLight }) => change({ isLight }),
  };
}

/** Some terminals tell the numbers of their colours: `15;0` is white on black. */
function isLightTerminal({ COLORFGBG = '' }: FrontOptions['environment']): boolean {
  const background = Number(COLORFGBG.split(';').at(-1) || 0);
  return background === 7 || background > 8;
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
    links: !linear && mayColor,
  };
}

function hasManyColors({ TERM = '', COLORTERM = '' }: FrontOptions['environment']): boolean {
  return COLORTERM !== '' || /256|direct|kitty|ghostty|alacritty|wezterm|foot/.test(TERM);
}
