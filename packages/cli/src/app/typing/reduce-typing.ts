import type { State } from '../state.js';
import { changed } from './edit.js';
import type { TypingAction, TypingNews } from './events.js';
import { openedPicker } from './picker.js';
import type { Typing } from './typing.js';
import { freshVim } from './vim-state.js';

/** The state after an event about typing. */
export function withTypingEvent(state: State, event: TypingAction | TypingNews): State {
  const { typing } = state;
  const having = (change: Partial<Typing>): State => ({ ...state, typing: { ...typing, ...change } });
  switch (event.type) {
    case 'menu-changed':
    case 'menu-found':
      return having({ menu: event.menu });
    case 'picker-changed':
      return having({ picker: event.picker });
    case 'picker-opened': {
      const picker = openedPicker(state.nextId, event.spec, event.isNumbered);
      return { ...having({ picker, menu: null }), nextId: state.nextId + 1, hint: '' };
    }
    case 'picker-previewed':
      return typing.picker ? having({ picker: { ...typing.picker, preview: event.preview } }) : state;
    case 'picker-answered':
    case 'picker-closed':
      return having({ picker: null });
    case 'vim-chosen':
      return having({ vim: event.isOn ? freshVim : null });
    case 'line-replaced': {
      const { input, typing: after } = changed(typing, state.input, event.input);
      const folded = event.folded ?? typing.folded;
      return { ...state, input, typing: { ...after, folded, menu: null }, hint: '' };
    }
    case 'history-search-asked':
    case 'editor-asked':
    case 'clipboard-asked':
    case 'mode-asked':
      return { ...state, hint: '', quitAsked: false };
  }
}

/** The typing state after the line has changed by other means than a key for it. */
export function typingAfter(state: State, input: State['input']): Typing {
  return { ...changed(state.typing, state.input, input).typing, menu: null };
}
