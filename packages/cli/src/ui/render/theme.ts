export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** Behind lines of a diff, and behind the words in them that changed. */
export type Background = 'added' | 'removed' | 'addedWord' | 'removedWord';

const colorNames: readonly Color[] = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'];
const backgroundNames: readonly Background[] = ['added', 'removed', 'addedWord', 'removedWord'];

/** Colours as parameters of the sequence that selects them. */
export interface Theme {
  name: string;
  colors: Readonly<Record<Color, string>>;
  /** For terminals with 256 colours; others show the marks of a diff in red and green. */
  backgrounds: Readonly<Record<Background, string>> | null;
  /** Text that steps back; null: faint. */
  dim: string | null;
}

const terminalColors = { red: '31', green: '32', yellow: '33', blue: '34', magenta: '35', cyan: '36' };

export const dark: Theme = {
  name: 'dark',
  colors: terminalColors,
  backgrounds: {
    added: '48;5;22',
    removed: '48;5;52',
    addedWord: '48;5;28',
    removedWord: '48;5;124',
  },
  dim: null,
};

/** Yellow and cyan of most palettes can't be read on white. */
const light: Theme = {
  name: 'light',
  colors: { ...terminalColors, yellow: '38;5;94', cyan: '38;5;24', green: '38;5;28', magenta: '38;5;90' },
  backgrounds: {
    added: '48;5;194',
    removed: '48;5;224',
    addedWord: '48;5;157',
    removedWord: '48;5;217',
  },
  dim: '38;5;242',
};

const contrast: Theme = {
  name: 'contrast',
  colors: { red: '1;91', green: '1;92', yellow: '1;93', blue: '1;94', magenta: '1;95', cyan: '1;96' },
  backgrounds: null,
  dim: '39',
};

/** Blue and orange in place of green and red: told apart by everybody. */
const colorBlind: Theme = {
  name: 'color-blind',
  colors: { ...terminalColors, red: '38;5;208', green: '38;5;39', yellow: '38;5;220', blue: '38;5;75' },
  backgrounds: {
    added: '48;5;17',
    removed: '48;5;94',
    addedWord: '48;5;25',
    removedWord: '48;5;130',
  },
  dim: null,
};

/** Bright colours can't be read on white, so the strongest dark ones stand there. */
const contrastOnLight: Theme = {
  ...contrast,
  colors: {
    red: '1;38;5;88',
    green: '1;38;5;22',
    yellow: '1;38;5;58',
    blue: '1;38;5;18',
    magenta: '1;38;5;53',
    cyan: '1;38;5;23',
  },
};

const colorBlindOnLight: Theme = {
  ...colorBlind,
  colors: {
    red: '38;5;130',
    green: '38;5;25',
    yellow: '38;5;58',
    blue: '38;5;18',
    magenta: '38;5;90',
    cyan: '38;5;24',
  },
  backgrounds: {
    added: '48;5;153',
    removed: '48;5;223',
    addedWord: '48;5;117',
    removedWord: '48;5;215',
  },
  dim: light.dim,
};

const themes: readonly Theme[] = [dark, light, contrast, colorBlind];

/** The themes that differ on a light background, by name. */
const onLight: ReadonlyMap<string, Theme> = new Map(
  [contrastOnLight, colorBlindOnLight].map((theme) => [theme.name, theme]),
);

/** The names that a setting may give. */
export const themeNames: readonly string[] = ['auto', ...themes.map(({ name }) => name)];

/** Colours of the user's own, by name, over those of a theme: a number of the 256, or `#rrggbb`. */
export type OwnColors = Readonly<Record<string, string>>;

export interface ChosenTheme {
  name: string;
  own?: OwnColors | undefined;
  /** The terminal's background, where it is known. */
  isLight: boolean;
}

/** The theme that was chosen; all but `dark` and `light` follow the terminal's background. */
export function themeFor({ name, own = {}, isLight }: ChosenTheme): Theme {
  const base =
    (isLight ? onLight.get(name) : undefined) ??
    themes.find((each) => each.name === name) ??
    (isLight ? light : dark);
  const chosen = (names: readonly string[], lead: string): Record<string, string> =>
    Object.fromEntries(names.flatMap((each) => parameter(own[each], lead).map((code) => [each, code])));
  return {
    ...base,
    colors: { ...base.colors, ...chosen(colorNames, '38') },
    backgrounds: base.backgrounds && { ...base.backgrounds, ...chosen(backgroundNames, '48') },
  };
}

/** `208` and `#ff8700` as a parameter; nothing for what is neither. */
function parameter(color: string | undefined, lead: string): string[] {
  if (color === undefined) return [];
  if (/^(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])$/.test(color)) return [`${lead};5;${color}`];
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return [];
  return [`${lead};2;${[red, green, blue].map((part) => Number.parseInt(part, 16)).join(';')}`];
}
