import type { InputLine } from '../input-line.js';
import type { Menu } from './menu.js';
import type { FoldedText } from './paste.js';
import type { OpenPicker } from './picker.js';
import type { VimState } from './vim-state.js';

/** Everything about typing besides the line itself. */
export interface Typing {
  /** Earlier states of the line, newest last. */
  undo: readonly InputLine[];
  /** Text erased by words or lines, newest first. */
  kills: readonly string[];
  /** The last change of the line; null when something else happened since. */
  last: LastEdit | null;
  /** Null unless the setting asks for it. */
  vim: VimState | null;
  /** Long pastes and images that stand in the line as one token each. */
  folded: readonly FoldedText[];
  menu: Menu | null;
  picker: OpenPicker | null;
}

export type LastEdit =
  | { kind: 'letters' }
  | { kind: 'kill' }
  /** The start of the yanked text, and the index of its kill. */
  | { kind: 'yank'; from: number; index: number };

export const emptyTyping: Typing = {
  undo: [],
  kills: [],
  last: null,
  vim: null,
  folded: [],
  menu: null,
  picker: null,
};

const MAX_UNDO = 200;

/** Remembers the line before a change; letters typed in a row are one change. */
export function withUndo(typing: Typing, before: InputLine, last: LastEdit | null): Typing {
  const goesOn = last?.kind === 'letters' && typing.last?.kind === 'letters';
  const undo = goesOn ? typing.undo : [...typing.undo, before].slice(-MAX_UNDO);
  return { ...typing, undo, last };
}
