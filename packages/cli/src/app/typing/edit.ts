import { erased, type InputLine, insert, type Movement, moved } from '../input-line.js';
import type { Key } from '../key.js';
import { type Edited, killed, undone, yanked, yankedEarlier } from './kill-ring.js';
import { pasted, tokenAt } from './paste.js';
import { type Typing, withUndo } from './typing.js';

const movements: Partial<Record<Key['name'], Movement>> = {
  left: 'left',
  right: 'right',
  'word-left': 'word-left',
  'word-right': 'word-right',
  home: 'line-start',
  end: 'line-end',
};

const erasures: Partial<Record<Key['name'], Movement>> = { backspace: 'left', delete: 'right' };

const kills: Partial<Record<Key['name'], Movement>> = {
  'erase-word': 'word-left',
  'erase-word-right': 'word-right',
  'erase-to-start': 'line-start',
  'erase-to-end': 'line-end',
};

/** A line without memory, such as the answer to a question, after a key; null when the key is not for it. */
export function edited(input: InputLine, key: Key): InputLine | null {
  if (key.name === 'text' || key.name === 'paste') return insert(input, key.text);
  const movement = movements[key.name];
  if (movement) return moved(input, movement);
  const erasure = erasures[key.name] ?? kills[key.name];
  return erasure ? erased(input, erasure) : null;
}

/** The prompt after a key: as above, with undo, a kill ring and folded pastes. */
export function editedPrompt(typing: Typing, input: InputLine, key: Key): Edited | null {
  switch (key.name) {
    case 'text':
      return changed(typing, input, insert(input, key.text), isOneWord(key.text));
    case 'paste': {
      const { input: after, folded } = pasted(input, typing.folded, key.text);
      const { typing: remembered } = changed(typing, input, after);
      return { input: after, typing: { ...remembered, folded } };
    }
    case 'yank':
      return yanked(typing, input);
    case 'yank-earlier':
      return yankedEarlier(typing, input);
    case 'undo':
      return undone(typing);
    case 'backspace': {
      const token = tokenAt(input, typing.folded);
      return changed(typing, input, token ? without(input, token) : erased(input, 'left'));
    }
    default: {
      const kill = kills[key.name];
      if (kill) return killed(typing, input, kill);
      const after = edited(input, key);
      return after && changed(typing, input, after);
    }
  }
}

/** A folded paste goes in one piece. */
function without({ text }: InputLine, { from, to }: { from: number; to: number }): InputLine {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function isOneWord(text: string): boolean {
  return text.length === 1 && text !== ' ';
}

export function changed(typing: Typing, before: InputLine, after: InputLine, isLetter = false): Edited {
  if (after.text === before.text) return { input: after, typing: { ...typing, last: null } };
  return { input: after, typing: withUndo(typing, before, isLetter ? { kind: 'letters' } : null) };
}
