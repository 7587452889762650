export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** Behind lines of a diff, and behind the words in them that changed. */
export type Background = 'added' | 'removed' | 'addedWord' | 'removedWord';

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
