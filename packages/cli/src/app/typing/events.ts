import type { InputLine } from '../input-line.js';
import type { Menu } from './menu.js';
import type { FoldedText } from './paste.js';
import type { OpenPicker, Picked, PickerSpec, Preview } from './picker.js';

/** Keys of the user that typing knows. */
export type TypingAction =
  | { type: 'menu-changed'; menu: Menu | null }
  | { type: 'picker-changed'; picker: OpenPicker }
  | { type: 'picker-answered'; picked: Picked | null }
  | { type: 'history-search-asked' }
  | { type: 'editor-asked' }
  | { type: 'clipboard-asked' }
  | { type: 'mode-asked' };

/** Events of the program for the typed line. */
export type TypingNews =
  | { type: 'menu-found'; menu: Menu | null }
  | { type: 'picker-opened'; spec: PickerSpec; isNumbered: boolean }
  | { type: 'picker-previewed'; preview: Preview }
  | { type: 'picker-closed' }
  | { type: 'vim-chosen'; isOn: boolean }
  /** The line has another text: from the editor, the history, the clipboard or an earlier run. */
  | { type: 'line-replaced'; input: InputLine; folded?: readonly FoldedText[] };
