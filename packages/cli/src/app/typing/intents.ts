import type { UserEvent } from '../events.js';
import { emptyInput, inputOf } from '../input-line.js';
import type { Key } from '../key.js';
import type { State } from '../state.js';
import { changed, edited } from './edit.js';
import { accepted, type Menu, movedIn } from './menu.js';
import { openedPaste } from './paste.js';
import { dialled, filtered, numbered, type OpenPicker, selectedItem, stepped } from './picker.js';
import { vimEdited } from './vim.js';

/** The meaning of a key for an open picker or menu, for vim, and for keys that only typing knows; undefined when it has none. */
export function typingIntent(state: State, key: Key): UserEvent | null | undefined {
  if (state.question) return undefined;
  const { picker, menu } = state.typing;
  if (picker) return pickerIntent(picker, key);
  const chosen = menu && menu.input === state.input ? menuIntent(menu, key, state.phase) : undefined;
  if (chosen !== undefined) return chosen;
  return vimIntent(state, key) ?? ownKey(state, key);
}

function vimIntent({ typing, input }: State, key: Key): UserEvent | undefined {
  const done = vimEdited(typing, input, key);
  return done ? { type: 'input-changed', ...done } : undefined;
}

function ownKey({ input, typing, phase }: State, key: Key): UserEvent | null | undefined {
  switch (key.name) {
    case 'search-history':
      return { type: 'history-search-asked' };
    case 'open-editor':
      return { type: 'editor-asked' };
    case 'paste-image':
      return { type: 'clipboard-asked' };
    case 'next-mode':
      return phase === 'starting' ? null : { type: 'mode-asked' };
    case 'unfold': {
      const opened = openedPaste(input, typing.folded);
      return opened ? { type: 'input-changed', ...changed(typing, input, opened) } : undefined;
    }
    default:
      return undefined;
  }
}

function menuIntent(menu: Menu, key: Key, phase: State['phase']): UserEvent | null | undefined {
  switch (key.name) {
    case 'up':
      return { type: 'menu-changed', menu: movedIn(menu, -1) };
    case 'down':
      return { type: 'menu-changed', menu: movedIn(menu, 1) };
    case 'escape':
      return { type: 'menu-changed', menu: null };
    case 'tab':
      return menu.items.length === 0 ? null : { type: 'input-changed', input: accepted(menu) };
    case 'enter':
      if (menu.items.length === 0 || (menu.isWhole && menu.selected === 0)) return undefined;
      return menu.kind === 'command' && phase === 'idle' && !menu.items[menu.selected]?.isOpen
        ? { type: 'prompt-submitted', text: accepted(menu).text.trim() }
        : { type: 'input-changed', input: accepted(menu) };
    default:
      return undefined;
  }
}

const PAGE = 8;

function pickerIntent(picker: OpenPicker, key: Key): UserEvent | null {
  const changedTo = (next: OpenPicker): UserEvent => ({ type: 'picker-changed', picker: next });
  switch (key.name) {
    case 'escape':
    case 'interrupt':
      return { type: 'picker-answered', picked: null };
    case 'end-of-input':
      return picker.typed.text === '' ? { type: 'picker-answered', picked: null } : null;
    case 'enter':
      return answerOf(picker);
    case 'up':
      return changedTo(stepped(picker, -1));
    case 'down':
    case 'tab':
    case 'search-history':
      return changedTo(stepped(picker, 1));
    case 'page-up':
      return changedTo(stepped(picker, -PAGE));
    case 'page-down':
      return changedTo(stepped(picker, PAGE));
    case 'left':
    case 'right':
      if (picker.spec.dial) return changedTo(dialled(picker, key.name === 'left' ? -1 : 1));
  }
  // A key or an address has no newline.
  const typed = key.name === 'paste' ? { ...key, text: key.text.trim().replace(/\s+/g, ' ') } : key;
  const line = edited(picker.typed, typed);
  return line && changedTo(picker.isNumbered ? { ...picker, typed: line } : filtered(picker, line));
}

function answerOf(picker: OpenPicker): UserEvent | null {
  const { typed, spec, dial } = picker;
  const text = typed.text.trim();
  if (spec.typed !== 'filter')
    return text === '' ? null : { type: 'picker-answered', picked: { id: '', text, dial } };
  if (picker.isNumbered) return numberedAnswer(picker, text);
  const item = selectedItem(picker);
  return item ? { type: 'picker-answered', picked: { id: item.id, text, dial } } : null;
}

function numberedAnswer(picker: OpenPicker, text: string): UserEvent | null {
  const about = numbered(picker, /^\?\s*(\d+)$/.exec(text)?.[1] ?? '');
  if (about && picker.spec.hasPreview)
    return {
      type: 'picker-changed',
      picker: { ...picker, typed: emptyInput, asked: about.id, preview: null },
    };
  const item = numbered(picker, text);
  if (item) return { type: 'picker-answered', picked: { id: item.id, text: '', dial: picker.dial } };
  if (/^\d+$/.test(text)) return { type: 'hinted', hint: `There is no number ${text} in this list.` };
  const narrowed = filtered({ ...picker, typed: emptyInput, matches: everyIndex(picker) }, inputOf(text));
  return { type: 'picker-changed', picker: { ...narrowed, typed: emptyInput } };
}

function everyIndex({ spec }: OpenPicker): number[] {
  return spec.items.map((_, index) => index);
}
